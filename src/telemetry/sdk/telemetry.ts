/** OpenTelemetry's SDK, registered for this process: loaded by a command only when somebody asks for spans or metrics. */
import { context, DiagLogLevel, diag, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import { withinTime } from '../../common/abort.ts'
import type { TelemetryConfig } from '../../config/read-telemetry.ts'
import { version } from '../../common/version.ts'
import { findInstruments } from '../instruments.ts'
import { createMetrics } from './metrics.ts'
import { createTraces } from './traces.ts'

export interface TelemetryOptions {
  /** What is sent; null: nothing. */
  readonly config: TelemetryConfig | null
  /** Whether metrics are gathered for `metricsText`. */
  readonly scrape: boolean
  /** What the SDK says when something cannot be sent. */
  readonly log: (message: string) => void
}

export interface Telemetry {
  /** The metrics in Prometheus' text form; null unless they are gathered for it. */
  readonly metricsText: (() => Promise<string>) | null
  /** Sends what is left. @returns whether that was done within so many ms */
  readonly shutdown: (maxMs: number) => Promise<boolean>
}

/** Who sends: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. Nothing of the machine, of which no one asked. */
function telemetryResource() {
  const own = resourceFromAttributes({ [ATTR_SERVICE_NAME]: 'headcount', [ATTR_SERVICE_VERSION]: version() })
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
  return defaultResource().merge(own).merge(given)
}

export function startTelemetry({ config, scrape, log }: TelemetryOptions): Telemetry {
  const say = (message: string) => log(message)
  const silent = () => {}
  diag.setLogger(
    { error: say, warn: say, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const resource = telemetryResource()
  /** Whatever has to be ended. */
  const providers: { shutdown(): Promise<void> }[] = []
  if (config !== null && config.traces !== null) {
    const provider = createTraces(config.traces, resource)
    context.setGlobalContextManager(new AsyncLocalStorageContextManager())
    trace.setGlobalTracerProvider(provider)
    providers.push(provider)
  }
  let metricsText: Telemetry['metricsText'] = null
  const sent = config?.metrics ?? null
  if (scrape || sent !== null) {
    const created = createMetrics(sent, { resource, scrape })
    metrics.setGlobalMeterProvider(created.provider)
    findInstruments()
    metricsText = created.text
    providers.push(created.provider)
  }
  return {
    metricsText,
    shutdown: (maxMs) => {
      const ended = Promise.allSettled(providers.map((provider) => provider.shutdown()))
      return /* guard: a collector that hangs */ withinTime<boolean>(
        ended.then(() => true),
        maxMs,
        () => false,
      )
    },
  }
}
