/** The metrics of this process, once somebody takes them. */
import {
  createNoopMeter,
  metrics,
  type Counter,
  type Gauge,
  type Histogram,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api'
import {
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_CLIENT_REQUEST_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions'
import { version } from '../common/version.ts'
import { ofRuns } from './declarations.ts'
import { learnedPaces } from './learned-paces.ts'
import { SCOPE } from './tracer.ts'

export interface Instruments {
  readonly runDuration: Histogram
  readonly lastSuccess: Gauge
  readonly rows: Counter
  readonly held: Gauge
  readonly rejects: Gauge
  readonly httpClientDuration: Histogram
  readonly httpServerDuration: Histogram
  readonly databaseDuration: Histogram
}

/** From a run over unchanged lists to a first load of hours. */
const RUN_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200]
/** The boundaries that the semantic conventions advise. */
const HTTP_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const DATABASE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

let provider: MeterProvider | null = null
let current: Instruments | null = null

/** The instruments of the registered MeterProvider; null while there is none: then nothing is recorded. */
export function instruments(): Instruments | null {
  const registered = metrics.getMeterProvider()
  // The API has no meter that finds a provider which is registered later, as its tracers do.
  if (registered !== provider) {
    provider = registered
    const meter = registered.getMeter(SCOPE, version())
    current = meter === createNoopMeter() ? null : createInstruments(meter)
  }
  return current
}

function createInstruments(meter: Meter): Instruments {
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } })
  const { duration, lastSuccess, rows, held, rejects } = ofRuns
  observePaces(meter)
  return {
    runDuration: seconds(duration.name, duration.description, RUN_SECONDS),
    lastSuccess: meter.createGauge(lastSuccess.name, lastSuccess),
    rows: meter.createCounter(rows.name, rows),
    held: meter.createGauge(held.name, held),
    rejects: meter.createGauge(rejects.name, rejects),
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

/** Read when somebody collects: a run changes its pace far more often. */
function observePaces(meter: Meter): void {
  const concurrency = meter.createObservableGauge(ofRuns.concurrency.name, ofRuns.concurrency)
  const pace = meter.createObservableGauge(ofRuns.pace.name, ofRuns.pace)
  meter.addBatchObservableCallback(
    (result) => {
      for (const [account, read] of learnedPaces) {
        const { requests_at_once, requests_per_second } = read()
        result.observe(concurrency, requests_at_once, { account })
        if (requests_per_second !== null) result.observe(pace, requests_per_second, { account })
      }
    },
    [concurrency, pace],
  )
}
