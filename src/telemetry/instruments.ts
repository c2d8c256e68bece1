/** The metrics of this process, once somebody takes them. */
import { createNoopMeter, metrics, type Meter, type MeterProvider } from '@opentelemetry/api'
import {
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions'
import { version } from '../common/version.ts'
import { accountFigures, readFaultyEntries, type AccountFigures } from './account-figures.ts'
import { ofAccounts, ofRuns, type Declaration } from './declarations.ts'
import { SCOPE } from './tracer.ts'

export type Instruments = ReturnType<typeof createInstruments>

/** From a run over unchanged lists to a first load of hours. */
const RUN_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]
/** The boundaries that the semantic conventions advise. */
const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const DATABASE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

let provider: MeterProvider | null = null
let current: Instruments | null = null

/** Of what was registered when they were looked for last; null while there was nothing: then nothing is recorded. */
export function instruments(): Instruments | null {
  return current
}

/**
 * Looks for the registered MeterProvider: when a run begins, or `serve` answers. A run asks for its instruments thousands of
 * times, and each look costs as much as to count.
 */
export function findInstruments(): Instruments | null {
  const registered = metrics.getMeterProvider()
  // The API has no meter that finds a provider which is registered later, as its tracers do.
  if (registered !== provider) {
    provider = registered
    const meter = registered.getMeter(SCOPE, version())
    current = meter === createNoopMeter() ? null : createInstruments(meter)
  }
  return current
}

function createInstruments(meter: Meter) {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } })
  const { duration, rows } = ofRuns
  observeAccounts(meter)
  return {
    runDuration: seconds(duration.name, duration.description, RUN_SECONDS),
    rows: meter.createCounter(rows.name, rows),
    httpClientDuration: seconds(
      METRIC_HTTP_CLIENT_REQUEST_DURATION,
      'Duration of HTTP requests to the service.',
      HTTP_SECONDS,
    ),
    httpServerDuration: seconds(
      METRIC_HTTP_SERVER_REQUEST_DURATION,
      'Duration of HTTP requests that serve answered.',
      HTTP_SECONDS,
    ),
    databaseDuration: seconds(
      METRIC_DB_CLIENT_OPERATION_DURATION,
      'Duration of statements to the database.',
      DATABASE_SECONDS,
    ),
  }
}

/** What is observed of each account. */
const ofAccount: readonly (readonly [Declaration, (figures: AccountFigures) => number | null | undefined])[] =
  [
    [ofRuns.lastSuccess, ({ lastSuccess }) => lastSuccess],
    [ofRuns.held, ({ held }) => held],
    [ofRuns.rejects, ({ rejects }) => rejects],
    [ofRuns.concurrency, ({ pace }) => pace?.().requests_at_once],
    [ofRuns.pace, ({ pace }) => pace?.().requests_per_second],
  ]

/** Read when somebody collects: what is not observed then, is told no more. */
function observeAccounts(meter: Meter): void {
  const gauge = (declared: Declaration) => meter.createObservableGauge(declared.name, declared)
  for (const [declared, read] of ofAccount)
    gauge(declared).addCallback((result) => {
      for (const [account, figures] of accountFigures) {
        const value = read(figures) ?? null
        if (value !== null) result.observe(value, { account })
      }
    })
  gauge(ofAccounts.faultyEntries).addCallback((result) => {
    const faulty = readFaultyEntries()
    if (faulty !== null) result.observe(faulty)
  })
}
