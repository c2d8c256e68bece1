/** Spans and metrics of commands, as a collector receives them; and that nothing is loaded, sent or slowed where nobody asks. */
import { writeFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import { commandStage, onBothCommandStages } from '../../../support/commands/command-stage.ts'
import { runInProcess } from '../../../support/commands/in-process.ts'
import { startWorker } from '../../../support/commands/process.ts'
import { closedPort, send, silence } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'
import { sendingTo, startCollector, type Collector } from '../../../support/telemetry/collector.ts'

const SPAN_ERROR = 2

function runOf({ spans }: Collector) {
  const runs = spans.filter(({ name }) => name === 'headcount.run')
  expect(runs).toHaveLength(1)
  const [run] = runs
  if (run === undefined) throw new Error('there is no span of a run')
  return run
}

function valueOf({ points }: Collector, metric: string, attributes: object = {}): number | undefined {
  return points.find((point) => {
    if (point.metric !== metric) return false
    return Object.entries(attributes).every(([name, value]) => point.attributes[name] === value)
  })?.value
}

onBothCommandStages('a run that a collector is told of', (stage, engine) => {
  // How it is sent is not the engine's.
  test.each(engine === 'postgres' ? ['http/json', 'http/protobuf'] : ['http/protobuf'])(
    'has a span with its counts, requests and statements below it, and metrics: %s',
    async (protocol) => {
      await using collector = await startCollector()
      const account = accountOf({ gala: 3, picnic: 2 })
      account.of('gala').push('no item')
      await using s = await stage(account)
      const env = { ...sendingTo(collector), OTEL_EXPORTER_OTLP_PROTOCOL: protocol }
      const { code, stderr } = await s.run(['sync', '--account', 'choir', '--quiet'], { env })
      expect({ code, stderr }).toMatchObject({ code: 8 })

      const run = runOf(collector)
      expect(run.attributes).toMatchObject({
        'headcount.account': 'choir',
        'headcount.run.mode': 'sync',
        'headcount.run.status': 'held',
        'headcount.run.events.listed': 2,
        'headcount.run.events.changed': 2,
        'headcount.run.rows.responses.inserted': 5,
        'headcount.run.rejects': 1,
        'headcount.run.requests': 4,
      })
      expect(run.status.code ?? 0).not.toBe(SPAN_ERROR)
      const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === run.spanId)
      expect(below.every(({ traceId, kind }) => traceId === run.traceId && kind === 3)).toBe(true)
      const requests = below.filter(({ attributes }) => attributes['http.request.method'] !== undefined)
      expect(requests.map(({ name }) => name).toSorted()).toEqual([
        'GET /events',
        'GET /events/{event_id}/responses',
        'GET /events/{event_id}/responses',
        'GET /ping',
      ])
      expect(requests.find(({ name }) => name.endsWith('/responses'))?.attributes).toEqual({
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(s.service.baseUrl.port),
        'url.template': '/events/{event_id}/responses',
        'url.full': `${s.service.origin}/api/v1/events/REDACTED/responses`,
      })
      const statements = below.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
      expect(statements.map(({ name }) => name)).toContain('INSERT headcount.sync_state')
      expect(statements.every(({ attributes }) => attributes['db.query.text'] === undefined)).toBe(true)

      expect(
        valueOf(collector, 'headcount.run.duration', { account: 'choir', mode: 'sync', status: 'held' }),
      ).toBe(1)
      const inserted = { account: 'choir', table: 'responses', operation: 'insert' }
      expect(valueOf(collector, 'headcount.run.rows', inserted)).toBe(5)
      expect(valueOf(collector, 'headcount.run.held')).toBe(0)
      expect(valueOf(collector, 'headcount.run.rejects')).toBe(1)
      expect(valueOf(collector, 'headcount.run.concurrency')).toBe(8)
      // Rejected items are on record: the run is a good one.
      const age = Date.now() / 1000 - (valueOf(collector, 'headcount.run.last_success') ?? 0)
      expect(Math.abs(age)).toBeLessThan(600)
      expect(valueOf(collector, 'http.client.request.duration', { 'http.response.status_code': 200 })).toBe(4)
      expect(
        valueOf(collector, 'db.client.operation.duration', { 'db.operation.name': 'COPY' }),
      ).toBeGreaterThan(0)
      expect(collector.resource).toMatchObject({
        'service.name': 'headcount',
        'service.version': expect.any(String),
      })
    },
  )
})

describe('what a collector is told', () => {
  test('names no person, no event, no key and no address of a list, whatever fails', async () => {
    await using collector = await startCollector()
    const account = accountOf({ 'marked-gala': 3, 'marked-fest': 2, 'marked-fail': 1, 'marked-moved': 1 })
    account
      .of('marked-gala')
      .push(responseItem(77, { name: 'Marked Ada', email: 'marked@example.org', message: 'marked words' }))
    account.of('marked-fest').push({ marked: 'no id' })
    await using s = await commandStage('postgres', account)
    const answer = send((request) => account.answer(request))
    const moved = { status: 302, headers: { Location: '/api/v1/elsewhere/marked-target?marked=1' } }
    s.service.at(
      '/events/marked-fail/responses',
      ...Array.from({ length: 9 }, () => send({ status: 500, body: 'marked body' })),
    )
    s.service.at('/events/marked-moved/responses', send(moved))
    s.service.at('/elsewhere/marked-target?marked=1', send({ body: account.of('marked-moved') }))
    s.service.always(answer)
    const env = sendingTo(collector)
    expect((await s.run(['sync', '--quiet'], { env })).code).toBe(6)
    s.service.at('/events', send({ status: 200, body: 'marked, not a list' }))
    expect((await s.run(['backfill', '--quiet'], { env })).code).toBe(7)
    expect((await s.run(['verify', '--event', 'marked-gala', '--quiet'], { env })).code).toBe(0)
    expect((await s.run(['sync', '--event', 'marked-typo', '--quiet'], { env })).code).toBe(2)

    expect(collector.spans.filter(({ name }) => name === 'headcount.run')).toHaveLength(4)
    expect(collector.spans.map(({ name }) => name)).toContain('GET /{page}')
    expect(collector.raw).not.toMatch(/marked|gala|example\.org/i)
    expect(collector.raw).not.toContain(testKey.slice(0, 11))
    expect(collector.raw).not.toMatch(/Guest/)
  })

  test('a run that fails is an error with its code, and its exit code stays', async () => {
    await using collector = await startCollector()
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.always(send(refusal(401)))
    expect((await s.run(['sync'], { env: sendingTo(collector) })).code).toBe(3)
    const run = runOf(collector)
    expect(run.status).toEqual({ code: SPAN_ERROR, message: 'key_refused' })
    expect(run.attributes).toMatchObject({ 'error.type': 'key_refused', 'headcount.run.status': 'failed' })
    const failed = { mode: 'sync', status: 'failed', 'error.type': 'key_refused' }
    expect(valueOf(collector, 'headcount.run.duration', failed)).toBe(1)
    expect(valueOf(collector, 'headcount.run.last_success')).toBeUndefined()
    const refused = collector.spans.find(({ name }) => name === 'GET /ping')
    expect(refused).toMatchObject({ status: { code: SPAN_ERROR }, attributes: { 'error.type': '401' } })
  })

  test('an interrupted run is told of before the process ends', async () => {
    await using collector = await startCollector()
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.at('/events/gala/responses', silence)
    const { code } = await s.run(['sync'], {
      env: sendingTo(collector),
      meanwhile: async (child) => {
        await expect.poll(() => s.service.requests.length, { timeout: 20_000 }).toBe(3)
        child.kill('SIGTERM')
      },
    })
    expect(code).toBe(143)
    expect(runOf(collector).attributes).toMatchObject({
      'headcount.run.status': 'interrupted',
      'error.type': 'interrupted',
    })
    expect(valueOf(collector, 'headcount.run.duration', { status: 'interrupted' })).toBe(1)
  })

  test('a run of some events says nothing of the age of the mirror, and a dry run is none', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3, picnic: 1 }))
    await using some = await startCollector()
    expect((await s.run(['sync', '--event', 'gala'], { env: sendingTo(some) })).code).toBe(0)
    expect(valueOf(some, 'headcount.run.duration')).toBe(1)
    expect(valueOf(some, 'headcount.run.last_success')).toBeUndefined()
    await using dry = await startCollector()
    expect((await s.run(['sync', '--dry-run'], { env: sendingTo(dry) })).code).toBe(0)
    expect(runOf(dry).attributes).toMatchObject({ 'headcount.run.dry_run': true })
    expect(valueOf(dry, 'headcount.run.rows')).toBeUndefined()
    expect(valueOf(dry, 'headcount.run.duration')).toBeUndefined()
  })

  test('a worker tells of each of its runs, and of the last one when it is stopped', async () => {
    await using collector = await startCollector()
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const env = { ...s.env, ...sendingTo(collector) }
    await using worker = startWorker(['--schedule', '0 0 1 1 *'], { env })
    await worker.says('sync succeeded')
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(runOf(collector).attributes).toMatchObject({ 'headcount.run.status': 'succeeded' })
    expect(valueOf(collector, 'headcount.run.rows', { table: 'responses', operation: 'insert' })).toBe(3)
  })
})

describe('a collector that does not take what it is sent', () => {
  test.each(['hang', 503, 400] as const)(
    '%s: the run ends with its exit code, within the time that docs name',
    async (behaviour) => {
      await using collector = await startCollector(behaviour)
      await using s = await commandStage('postgres', accountOf({ gala: 3 }))
      let reportedAt = 0
      const ran = await s.run(['sync', '--json'], {
        env: sendingTo(collector),
        meanwhile: (child) => void child.stdout?.once('data', () => (reportedAt = performance.now())),
      })
      // 2 s after the report, and what the end takes on a busy machine; the SDK alone would wait for 10 s and longer.
      expect(performance.now() - reportedAt).toBeLessThan(8000)
      expect(ran.code).toBe(0)
      expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'succeeded' })
      expect(collector.requests.length).toBeGreaterThan(0)
      expect(ran.stderr.split('\n').filter((line) => line.includes('telemetry: '))).toHaveLength(1)
    },
  )

  test('away: one line, none with --quiet, and after a signal it costs less', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}` }
    const loud = await s.run(['sync'], { env })
    expect(loud.code).toBe(0)
    expect(loud.stderr.split('\n').filter((line) => line.includes('telemetry: '))).toHaveLength(1)
    expect(await s.run(['sync', '--quiet'], { env })).toEqual({ code: 0, stdout: '', stderr: '' })
    s.service.at('/events/gala/responses', silence)
    const before = s.service.requests.length
    const stopped = await s.run(['sync', '--all'], {
      env,
      meanwhile: async (child) => {
        await expect.poll(() => s.service.requests.length, { timeout: 20_000 }).toBe(before + 3)
        child.kill('SIGINT')
      },
    })
    expect(stopped.code).toBe(130)
  })
})

describe('the variables of OpenTelemetry', () => {
  test('what headcount cannot do is told with the remedy, all at once, before anything is read', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const env = {
      OTEL_TRACES_EXPORTER: 'oltp',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    }
    // Within this process, for nothing is loaded.
    const exporters = await runInProcess(['sync'], { ...s.env, ...env }, null)
    expect(exporters.code).toBe(2)
    expect(exporters.stderr).toMatch(/OTEL_TRACES_EXPORTER is "oltp".*did you mean otlp\?/)
    expect(exporters.stderr).toMatch(
      /OTEL_METRICS_EXPORTER is "prometheus".*HEADCOUNT_HEALTH_PORT.*\/metrics/,
    )
    const more = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'traceidratios',
      OTEL_TRACES_SAMPLER_ARG: '10',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'zip',
      OTEL_METRIC_EXPORT_INTERVAL: 'often',
      OTEL_RESOURCE_ATTRIBUTES: 'team',
    }
    const others = await runInProcess(['sync'], { ...s.env, ...more }, null)
    expect(others.code).toBe(2)
    for (const named of [
      /OTEL_EXPORTER_OTLP_ENDPOINT must be an http:\/\/ or https:\/\/ address/,
      /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc".*set http\/protobuf or http\/json/,
      /OTEL_TRACES_SAMPLER is "traceidratios".*did you mean traceidratio\?/,
      /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "10"/,
      /OTEL_EXPORTER_OTLP_COMPRESSION is "zip".*set gzip or none/,
      /OTEL_METRIC_EXPORT_INTERVAL must be a number from 1/,
      /OTEL_RESOURCE_ATTRIBUTES must be name=value/,
    ]) {
      expect(others.stderr).toMatch(named)
    }
    expect(s.service.requests).toEqual([])
  })

  test('who sends, with which headers, which spans, or nothing at all', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using collector = await startCollector()
    const env = {
      ...sendingTo(collector),
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-of-collector',
      OTEL_SERVICE_NAME: 'choir-mirror',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
      OTEL_TRACES_SAMPLER: 'always_off',
    }
    const ran = await s.run(['sync'], { env: { ...env, HEADCOUNT_LOG_LEVEL: 'debug' } })
    expect(ran.code).toBe(0)
    expect(ran.stdout + ran.stderr).not.toContain('secret-of-collector')
    expect(collector.spans).toEqual([])
    expect(collector.resource).toMatchObject({
      'service.name': 'choir-mirror',
      'deployment.environment.name': 'production',
    })
    expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/metrics'])
    expect(collector.requests[0]?.headers['authorization']).toBe('Bearer secret-of-collector')

    await using none = await startCollector()
    for (const off of [
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    ]) {
      const env = { ...s.env, ...sendingTo(none), ...off }
      expect((await runInProcess(['sync'], env, null)).code).toBe(0)
    }
    expect(none.requests).toEqual([])
    await using traced = await startCollector()
    const tracesOnly = { ...sendingTo(traced), OTEL_METRICS_EXPORTER: 'none' }
    expect((await s.run(['sync'], { env: tracesOnly })).code).toBe(0)
    expect(traced.requests.map(({ path }) => path)).toEqual(['/v1/traces'])
  })
})

describe('where nobody asks', () => {
  /** Runs a command, and lists the files that it loaded. */
  async function loadedBy(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-loaded-'))
    try {
      const [preload, list] = [join(folder, 'preload.cjs'), join(folder, 'list.json')]
      await writeFile(
        preload,
        `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(Object.keys(require.cache))))`,
      )
      await using s = await commandStage('postgres', accountOf({ gala: 3 }))
      const { code } = await s.run(args, { env: { ...env, NODE_OPTIONS: `--require ${preload}` } })
      expect(code).toBe(0)
      const files = JSON.parse(await readFile(list, 'utf8')) as string[]
      return files.filter((file) => file !== preload)
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  test('no file of the SDK is loaded', async () => {
    await using collector = await startCollector()
    const asked = await loadedBy(['sync'], sendingTo(collector))
    const unasked = await loadedBy(['sync'], {})
    const texts = async (files: readonly string[]) =>
      (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
    // Classes of the SDK, as the bundle names them.
    const sdk =
      /class \w*(?:BatchSpanProcessor|PeriodicExportingMetricReader|AsyncLocalStorageContextManager)|(?:BatchSpanProcessor|PeriodicExportingMetricReader)\w* = class/
    expect(await texts(asked)).toMatch(sdk)
    expect(await texts(unasked)).not.toMatch(sdk)
  })
})
