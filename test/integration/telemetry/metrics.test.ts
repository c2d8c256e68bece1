/** What Prometheus reads: `/metrics` of a worker and of `serve`, and the file of `status --format prometheus`. */
import { describe, expect, test } from 'vitest'
import { accountOf, refusal } from '../../support/accounts/account.ts'
import { accountsStage } from '../../support/commands/accounts-stage.ts'
import { commandStage, onBothCommandStages } from '../../support/commands/command-stage.ts'
import { startServe, startWorker, urlOf } from '../../support/commands/process.ts'
import { closedPort, send } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'
import { parseExposition, sampleOf } from '../../support/telemetry/prometheus-text.ts'
import { healthUrlOf, scrape } from '../../support/telemetry/scrape.ts'

const onceAYear = ['--schedule', '0 0 1 1 *']
const everySecond = ['--schedule', '* * * * * *']
const monitored = ['--health-port', '0']

onBothCommandStages('/metrics of a worker', (stage) => {
  test('tells of its runs by account, with units in the names, and of no event and no person', async () => {
    const account = accountOf({ 'marked-gala': 3, picnic: 2 })
    account.of('picnic').push('marked, no item')
    await using s = await stage(account)
    const env = { ...s.env, HEADCOUNT_ACCOUNT: 'choir "A"' }
    await using worker = startWorker([...onceAYear, ...monitored], { env })
    await worker.says('the next run is at')
    const { text, metrics } = await scrape(worker)
    const labels = { account: 'choir "A"' }
    expect(
      sampleOf(metrics, 'headcount_run_duration_seconds_count', { ...labels, mode: 'sync', status: 'held' }),
    ).toBe(1)
    expect(sampleOf(metrics, 'headcount_run_rejects', labels)).toBe(1)
    expect(sampleOf(metrics, 'headcount_run_held', labels)).toBe(0)
    expect(sampleOf(metrics, 'headcount_run_concurrency', labels)).toBe(8)
    const inserted = { ...labels, table: 'responses', operation: 'insert' }
    expect(sampleOf(metrics, 'headcount_run_rows_total', inserted)).toBe(5)
    const age = Date.now() / 1000 - (sampleOf(metrics, 'headcount_run_last_success_seconds', labels) ?? 0)
    expect(Math.abs(age)).toBeLessThan(600)
    expect(metrics.types.get('http_client_request_duration_seconds')).toBe('histogram')
    expect(metrics.types.get('db_client_operation_duration_seconds')).toBe('histogram')
    expect(sampleOf(metrics, 'target_info', { service_name: 'headcount' })).toBe(1)
    expect(text).not.toMatch(/marked|gala|Guest|example\.org|otel_scope/)
    expect(text).not.toContain(testKey.slice(0, 11))
  })
})

describe('/metrics', () => {
  test('a worker goes on counting, also runs that fail', async () => {
    const account = accountOf({ gala: 3 })
    await using s = await commandStage('postgres', account)
    await using worker = startWorker([...everySecond, ...monitored], { env: s.env })
    await worker.says('sync succeeded', 2)
    const first = await scrape(worker)
    expect(sampleOf(first.metrics, 'headcount_run_pace_per_second')).toBeUndefined()
    s.service.always(send(refusal(500)))
    await expect
      .poll(
        async () =>
          sampleOf((await scrape(worker)).metrics, 'headcount_run_duration_seconds_count', {
            status: 'failed',
            error_type: 'unreachable',
          }),
        { timeout: 60_000, interval: 500 },
      )
      .toBeGreaterThan(0)
    const { metrics } = await scrape(worker)
    // A run that fails makes no mirror younger.
    expect(sampleOf(metrics, 'headcount_run_last_success_seconds')).toBeGreaterThanOrEqual(
      sampleOf(first.metrics, 'headcount_run_last_success_seconds') ?? Infinity,
    )
    expect(
      sampleOf(metrics, 'http_client_request_duration_seconds_count', {
        http_response_status_code: '500',
        error_type: '500',
      }),
    ).toBeGreaterThan(0)
  })

  test('of serve is on a port of its own, on this machine alone unless somebody asks, and never beside the lists', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const { stdout } = await s.run(['keys', 'create', '--json'])
    const { key } = JSON.parse(stdout) as { key: string }
    await using served = startServe(['--host', '0.0.0.0', ...monitored], { env: s.env })
    await expect
      .poll(() => served.stderr, { timeout: 20_000 })
      .toMatch(/^listening on http:\/\/0\.0\.0\.0:\d+/m)
    const port = /^listening on http:\/\/0\.0\.0\.0:(\d+)/m.exec(served.stderr)?.[1]
    const url = `http://127.0.0.1:${port}`
    const headers = { 'X-API-Key': key }
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(404)
    expect((await fetch(`${url}/api/v1/events/gala/responses`, { headers })).status).toBe(200)
    expect((await fetch(`${url}/l/${'t'.repeat(43)}/x.csv`)).status).toBe(404)
    expect((await fetch(`${url}/api/v1/ping`, { method: 'PURGE' })).status).toBe(401)

    const health = await healthUrlOf(served)
    expect(health.hostname).toBe('127.0.0.1')
    expect(await (await fetch(health)).json()).toEqual({ healthy: true, reason: 'serve answers' })
    await expect
      .poll(async () => {
        const { metrics } = await scrape(served)
        return sampleOf(metrics, 'http_server_request_duration_seconds_count', {
          http_response_status_code: '200',
        })
      })
      .toBe(1)
    const { text, metrics } = await scrape(served)
    expect(
      metrics.samples
        .filter(({ name }) => name === 'http_server_request_duration_seconds_count')
        .map(({ labels }) => [
          labels['http_request_method'],
          labels['http_route'],
          labels['http_response_status_code'],
        ]),
    ).toEqual(
      expect.arrayContaining([
        ['GET', '/api/v1/events/{event_id}/responses', '200'],
        ['GET', '/l/{token}/{name}', '404'],
        ['_OTHER', '/api/v1/ping', '401'],
        ['GET', undefined, '404'],
      ]),
    )
    expect(text).not.toMatch(/gala|ttttt/)
  })

  test('of serve --sync tells of both; OTEL_SDK_DISABLED and OTEL_METRICS_EXPORTER=none leave it out', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using both = startServe(['--sync', ...onceAYear, ...monitored], { env: s.env })
    await both.says('the next run is at')
    expect((await fetch(`${await urlOf(both)}/ping`)).status).toBe(401)
    await expect
      .poll(async () => (await scrape(both)).metrics.types.get('http_server_request_duration_seconds'))
      .toBe('histogram')
    const { metrics } = await scrape(both)
    expect(sampleOf(metrics, 'headcount_run_duration_seconds_count', { status: 'succeeded' })).toBe(1)
    for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_METRICS_EXPORTER: 'none' }]) {
      await using without = startWorker([...onceAYear, ...monitored], { env: { ...s.env, ...off } })
      const url = await healthUrlOf(without)
      expect((await fetch(url)).status).toBe(200)
      expect((await fetch(new URL('/metrics', url))).status).toBe(404)
    }
  })

  test('a port for monitors that is the port of serve itself disturbs nothing', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const port = String(await closedPort())
    await using served = startServe(['--port', port, '--health-port', port], { env: s.env })
    expect(await served.says('serve answers /healthz on port')).toMatchObject({ level: 'info' })
    expect(await urlOf(served)).toContain(`:${port}/`)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  })

  test.each([
    { how: 'alone', args: [] },
    { how: 'in a queue', args: ['--queue'] },
  ])(
    'of a worker over an accounts file ($how): each account, none that was taken out, and what cannot be used',
    async ({ args }) => {
      await using s = await accountsStage('postgres', {
        ada: accountOf({ gala: 3 }),
        bob: accountOf({ fair: 1 }),
      })
      s.list(['ada', 'bob'], '  - name: cleo\n    key_file: canary/in/place\n    hold_for: soon\n')
      // With runs every few seconds a busy machine is unhealthy for another reason: the last one is too long ago.
      await using worker = startWorker([...onceAYear, ...monitored, ...args], { env: s.env })
      const ofAccount = [
        'headcount_run_last_success_seconds',
        'headcount_run_held',
        'headcount_run_rejects',
        'headcount_run_concurrency',
      ]
      const told = async () => {
        const { metrics } = await scrape(worker)
        const of = (account: string) =>
          ofAccount.map((name) => sampleOf(metrics, name, { account }) !== undefined)
        return {
          ada: of('ada'),
          bob: of('bob'),
          faulty: sampleOf(metrics, 'headcount_accounts_faulty_entries'),
        }
      }
      const [all, none] = [ofAccount.map(() => true), ofAccount.map(() => false)]
      await expect.poll(told, { timeout: 40_000 }).toEqual({ ada: all, bob: all, faulty: 1 })
      const health = await fetch(await healthUrlOf(worker))
      const answer = await health.text()
      expect([health.status, JSON.parse(answer)]).toEqual([
        503,
        expect.objectContaining({
          faulty_entries: 1,
          reason: expect.stringMatching(
            /^the accounts file is faulty: \S*accounts\.yaml:\d+:\d+ \(account cleo\); the log/,
          ),
        }),
      ])
      // Somebody may have put a key there: what is wrong stands in the log.
      expect(answer).not.toMatch(/canary|soon/)
      s.folder.write('accounts.yaml', 'accounts: [')
      const reason = async () =>
        ((await (await fetch(await healthUrlOf(worker))).json()) as { reason: string }).reason
      await expect
        .poll(reason, { timeout: 40_000 })
        .toMatch(/^the accounts file is faulty: \S*accounts\.yaml:\d+:\d+; the log/)
      expect(await told()).toEqual({ ada: all, bob: all, faulty: 1 })
      s.list(['ada'])
      await worker.says('the accounts file has no fault any more')
      await worker.says('the accounts changed: 0 new, 0 changed, 1 removed (bob)')
      await expect.poll(told, { timeout: 60_000 }).toEqual({ ada: all, bob: none, faulty: 0 })
      // Whoever reads it twice, and while others read it too, is told the same.
      expect(await told()).toEqual({ ada: all, bob: none, faulty: 0 })
    },
  )

  test.each([
    { how: 'alone', args: [] },
    { how: 'in a queue', args: ['--queue'] },
  ])('of a worker that begins ($how): the good run of another process', async ({ args }) => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const work = () => startWorker([...onceAYear, ...monitored, ...args], { env: s.env })
    const lastSuccess = async (worker: ReturnType<typeof work>) =>
      sampleOf((await scrape(worker)).metrics, 'headcount_run_last_success_seconds', { account: 'default' })
    let told: number | undefined
    {
      await using first = work()
      await expect.poll(() => lastSuccess(first), { timeout: 30_000 }).toBeGreaterThan(0)
      told = await lastSuccess(first)
    }
    // Nobody can run it now.
    s.service.always(send({ status: 500 }))
    await using second = work()
    // Known by the age of the run when the mirror was asked; the answer may be late.
    await expect.poll(() => lastSuccess(second), { timeout: 30_000 }).toBeCloseTo(told ?? 0, -1)
  })

  test('on another host it says that there is no key', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using worker = startWorker([...onceAYear, ...monitored, '--health-host', '0.0.0.0'], { env: s.env })
    expect(await worker.says('0.0.0.0')).toMatchObject({ level: 'warn' })
  })
})

onBothCommandStages('status --format prometheus', (stage) => {
  test('tells how each mirror stands, from the database, and a run that failed since', async () => {
    const account = accountOf({ gala: 20, picnic: 3, 'marked-fest': 1 })
    await using s = await stage(account)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    account.of('gala').length = 0
    account.of('picnic').push('no item')
    s.service.at('/events/marked-fest/responses', ...Array.from({ length: 9 }, () => send({ status: 500 })))
    expect((await s.run(['sync', '-q', '--request-timeout', '2s'])).code).toBe(6)

    const { code, stdout, stderr } = await s.run(['status', '--format', 'prometheus', '--hold-for', '0s'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const metrics = parseExposition(stdout)
    const labels = { account: 'default' }
    const runs = JSON.parse((await s.run(['runs', '--json'])).stdout) as {
      runs: readonly { run_id: number; started_at: string }[]
    }
    const good = runs.runs.find(({ run_id }) => run_id === 1)
    expect(sampleOf(metrics, 'headcount_run_last_success_seconds', labels)).toBe(
      Date.parse(String(good?.started_at)) / 1000,
    )
    expect(sampleOf(metrics, 'headcount_mirror_age_seconds', labels)).toBeGreaterThan(0)
    expect(sampleOf(metrics, 'headcount_run_held', labels)).toBe(20)
    expect(sampleOf(metrics, 'headcount_mirror_held_too_long', labels)).toBe(20)
    expect(sampleOf(metrics, 'headcount_run_rejects', labels)).toBe(1)
    expect(sampleOf(metrics, 'headcount_mirror_failing_lists', labels)).toBe(1)
    expect(sampleOf(metrics, 'headcount_mirror_rows', { ...labels, table: 'responses' })).toBe(24)
    expect(sampleOf(metrics, 'headcount_mirror_accounts')).toBe(1)
    expect(metrics.types.has('headcount_accounts_faulty_entries')).toBe(false)
    expect(stdout).not.toMatch(/marked|gala|Guest|target_info/)
    expect((await s.run(['status', '--format', 'prometheus', '--json'])).code).toBe(2)
    expect((await s.run(['status', '--format', 'prometheus', '--event', 'gala'])).code).toBe(2)
    expect(
      (await s.run(['status', '--format', 'prometheus', '--max-age', '1h', '--hold-for', '0s'])).code,
    ).toBe(8)
  })
})
