/** A program with an SDK of its own sees the runs of the library; without one, nothing is made. */
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterEach, describe, expect, test } from 'vitest'
import { verify } from '../../../src/index.ts'
import { ScrapeReader } from '../../../src/telemetry/sdk/scrape-reader.ts'
import { requestObserver } from '../../../src/telemetry/http-requests.ts'
import { observeStatement } from '../../../src/telemetry/statements.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { send } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'
import { onPostgresStage, optionOf } from '../../support/runs/stage.ts'
import { parseExposition, sampleOf } from '../../support/telemetry/prometheus-text.ts'
import { rejecting } from '../../support/telemetry/rejecting-service.ts'

afterEach(() => {
  for (const api of [context, metrics, trace]) api.disable()
})

/** As a program registers it. */
function registerTracing(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  )
  return exporter
}

function registerMetrics(): ScrapeReader {
  const reader = new ScrapeReader()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  return reader
}

describe('without an SDK', () => {
  test('nothing is made of a request, and a statement is waited for as it is', () => {
    const sent = Promise.resolve(1)
    expect(requestObserver()).toBeNull()
    expect(observeStatement('select 1', null, sent)).toBe(sent)
  })

  test('nor does a request have a span outside of a run', () => {
    registerTracing()
    expect(requestObserver()).toBeNull()
  })
})

onPostgresStage('an SDK of the program', (stage) => {
  test('sees a run below the span that called it, each run with its own requests, runs beside each other too', async () => {
    const exporter = registerTracing()
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await trace.getTracer('program').startActiveSpan('nightly', async (span) => {
      await on.sync()
      span.end()
    })
    const [nightly] = exporter.getFinishedSpans().filter(({ name }) => name === 'nightly')
    const [run] = exporter.getFinishedSpans().filter(({ name }) => name === 'headcount.run')
    expect(run?.parentSpanContext?.spanId).toBe(nightly?.spanContext().spanId)
    expect(run?.attributes).toMatchObject({ 'headcount.run.status': 'succeeded' })

    exporter.reset()
    const options = { ...optionOf(on.target), apiKey: testKey, baseUrl: on.service.baseUrl.href }
    await Promise.all([on.run('sync', { all: true }), verify(options)])
    const spans = exporter.getFinishedSpans()
    const runs = spans.filter(({ name }) => name === 'headcount.run')
    expect(runs.map(({ attributes }) => String(attributes['headcount.run.mode'])).toSorted()).toEqual([
      'sync',
      'verify',
    ])
    for (const ofRun of runs) {
      const below = spans.filter(
        ({ parentSpanContext }) => parentSpanContext?.spanId === ofRun.spanContext().spanId,
      )
      const requests = below.filter(({ name }) => name.startsWith('GET '))
      expect(requests).toHaveLength(Number(ofRun.attributes['headcount.run.requests']))
    }
  })

  test('of many requests sees the first, those that fail, and the slowest; metrics count all', async () => {
    const exporter = registerTracing()
    const reader = registerMetrics()
    const account = accountOf(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`e${at}`, 1])))
    await using on = await stage(account)
    const answer = send((request) => account.answer(request))
    on.service.always(answer)
    on.service.at('/events/e399/responses', send({ status: 503 }), answer)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    const requests = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('GET '))
    expect(requests.length).toBeGreaterThanOrEqual(26)
    expect(requests.length).toBeLessThan(125)
    expect(requests.filter(({ status }) => status.code === SpanStatusCode.ERROR)).toHaveLength(1)
    const { samples } = parseExposition(await reader.text())
    const counted = samples.filter(({ name }) => name === 'http_client_request_duration_seconds_count')
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(403)
  })

  test('gets the pace that a run learned, also after its end, and metrics of an SDK that comes later', async () => {
    const names = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`e${at}`, 1]))
    const account = accountOf(names)
    await using on = await stage(account)
    await on.sync()
    const reader = registerMetrics()
    on.service.always(rejecting(account, [2, 7]))
    expect(await on.sync({ all: true })).toMatchObject({ exit: 0 })
    const exposition = parseExposition(await reader.text())
    expect(sampleOf(exposition, 'headcount_run_concurrency')).toBeGreaterThan(0)
    expect(sampleOf(exposition, 'headcount_run_pace_per_second')).toBeGreaterThan(0)
    expect(
      sampleOf(exposition, 'http_client_request_duration_seconds_count', {
        http_response_status_code: '429',
      }),
    ).toBeGreaterThan(0)
    expect(
      sampleOf(exposition, 'headcount_run_rows_total', { table: 'responses', operation: 'update' }),
    ).toBe(0)
  })
})

test('1,000 accounts have a series each', async () => {
  const reader = registerMetrics()
  const counter = metrics.getMeter('test').createCounter('test.rows')
  for (let account = 0; account < 12_000; account++) counter.add(1, { account: `a${account}` })
  const { samples } = parseExposition(await reader.text())
  expect(samples.filter(({ name }) => name === 'test_rows_total')).toHaveLength(12_000)
  expect(samples.some(({ labels }) => 'otel_metric_overflow' in labels)).toBe(false)
})
