/**
 * The standard variables of OpenTelemetry that decide whether spans and metrics are sent, and how. Addresses, headers, time
 * limits, compression and certificates (OTEL_EXPORTER_OTLP_…), OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are read by
 * the exporters and the SDK themselves.
 */
import { ConfigurationError } from '../common/errors.ts'
import { didYouMean } from '../common/text/did-you-mean.ts'
import { ownEnvironment, type Environment } from './secrets.ts'

const protocols = ['http/protobuf', 'http/json'] as const

type OtlpProtocol = (typeof protocols)[number]

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerName = (typeof samplers)[number]

/** What is sent; null: nothing. */
export interface TelemetryConfig {
  readonly traces: TracesConfig | null
  readonly metrics: MetricsConfig | null
  /** What must not stand in a message: values of headers. */
  readonly secrets: readonly string[]
}

export type TracesConfig = ReturnType<typeof readTraces>
export type MetricsConfig = ReturnType<typeof readMetrics>

/** What the variables ask for, and what is wrong with them. */
export interface ReadTelemetry {
  /** Null: nothing is asked for. */
  readonly config: TelemetryConfig | null
  /** OTEL_SDK_DISABLED, or no metrics at all: not on /metrics either. */
  readonly metricsAreOff: boolean
  readonly faults: readonly string[]
}

/** @throws ConfigurationError that lists every fault */
export function readTelemetry(): Omit<ReadTelemetry, 'faults'> {
  const { faults, ...read } = inspectTelemetry()
  if (faults.length > 0) throw new ConfigurationError([...faults])
  return read
}

export function inspectTelemetry(environment: Environment = ownEnvironment): ReadTelemetry {
  const faults: string[] = []
  const variables = variablesOf(environment, faults)
  // As the specification has it: any other value than true is false.
  if (variables.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true')
    return { config: null, metricsAreOff: true, faults: [] }
  const tracesAreSent = isSent('TRACES', variables, faults)
  const metricsAreSent = isSent('METRICS', variables, faults)
  if (tracesAreSent || metricsAreSent) inspectExporters(variables, faults)
  const config =
    tracesAreSent || metricsAreSent
      ? {
          traces: tracesAreSent ? readTraces(variables) : null,
          metrics: metricsAreSent ? readMetrics(variables) : null,
          secrets: headerValues(variables),
        }
      : null
  return { config, metricsAreOff: variables.text('OTEL_METRICS_EXPORTER') === 'none', faults }
}

interface Variables {
  /** Null where it is not set, or empty: the specification makes no difference. */
  text(name: string): string | null
  oneOf<Value extends string>(name: string, values: readonly Value[], remedy: string): Value | null
  number(name: string, range: { readonly min: number; readonly max: number }): number | undefined
}

function variablesOf(environment: Environment, faults: string[]): Variables {
  const text = (name: string) => environment[name]?.trim() || null
  return {
    text,
    oneOf(name, values, remedy) {
      const given = text(name)
      if (given === null) return null
      const known = values.find((value) => value === given.toLowerCase())
      if (known !== undefined) return known
      faults.push(
        `${name} is ${JSON.stringify(given)}, which headcount cannot do${didYouMean(given, values)}: ${remedy}`,
      )
      return null
    },
    number(name, { min, max }) {
      const given = text(name)
      if (given === null) return undefined
      const number = Number(given)
      if (Number.isFinite(number) && number >= min && number <= max) return number
      faults.push(`${name} must be a number from ${min} to ${max}, not ${JSON.stringify(given)}`)
      return undefined
    },
  }
}

const otherExporters: Readonly<Record<string, string>> = {
  prometheus: 'for Prometheus, leave it out and set HEADCOUNT_HEALTH_PORT: GET /metrics is answered there',
  console: 'set otlp, and send to a collector that prints what it receives',
}

/** Whether a signal is sent: asked for by name, or by an address. */
function isSent(signal: 'TRACES' | 'METRICS', variables: Variables, faults: string[]): boolean {
  const name = `OTEL_${signal}_EXPORTER`
  const given = variables.text(name)
  if (given === null)
    return (
      variables.text('OTEL_EXPORTER_OTLP_ENDPOINT') !== null ||
      variables.text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) !== null
    )
  const asked = given.split(',').map((one) => one.trim().toLowerCase())
  for (const exporter of asked) {
    if (exporter === 'otlp' || exporter === 'none') continue
    const remedy = otherExporters[exporter] ?? 'set otlp or none'
    const meant = didYouMean(exporter, ['otlp', 'none'])
    faults.push(`${name} is ${JSON.stringify(given)}, which headcount cannot do${meant}: ${remedy}`)
  }
  return asked.includes('otlp')
}

function readProtocol(signal: 'TRACES' | 'METRICS', variables: Variables): OtlpProtocol {
  const remedy =
    'set http/protobuf or http/json, and the address of the collector that takes them (port 4318 by default)'
  const general = variables.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', protocols, remedy)
  const own = variables.oneOf(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, protocols, remedy)
  return own ?? general ?? 'http/protobuf'
}

const anyMs = { min: 1, max: 2 ** 31 - 1 }
const anyCount = { min: 1, max: 1_000_000 }

function readTraces(variables: Variables) {
  return {
    protocol: readProtocol('TRACES', variables),
    sampler:
      variables.oneOf('OTEL_TRACES_SAMPLER', samplers, `set one of ${samplers.join(', ')}`) ??
      'parentbased_always_on',
    /** From 0 to 1, for the samplers that take a share. */
    share: variables.number('OTEL_TRACES_SAMPLER_ARG', { min: 0, max: 1 }) ?? 1,
    // How spans are gathered; undefined: as the SDK has it, but for the queue.
    scheduledDelayMillis: variables.number('OTEL_BSP_SCHEDULE_DELAY', anyMs),
    exportTimeoutMillis: variables.number('OTEL_BSP_EXPORT_TIMEOUT', anyMs),
    maxQueueSize: variables.number('OTEL_BSP_MAX_QUEUE_SIZE', anyCount),
    maxExportBatchSize: variables.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', anyCount),
  }
}

function readMetrics(variables: Variables) {
  return {
    protocol: readProtocol('METRICS', variables),
    exportIntervalMillis: variables.number('OTEL_METRIC_EXPORT_INTERVAL', anyMs),
    exportTimeoutMillis: variables.number('OTEL_METRIC_EXPORT_TIMEOUT', anyMs),
  }
}

/** What the exporters and the SDK read themselves, and would pass over in silence where it is wrong. */
function inspectExporters(variables: Variables, faults: string[]): void {
  for (const signal of ['', '_TRACES', '_METRICS']) {
    const endpoint = `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`
    const address = variables.text(endpoint)
    if (address !== null && !/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
      faults.push(`${endpoint} must be an http:// or https:// address, like http://localhost:4318`)
    variables.oneOf(`OTEL_EXPORTER_OTLP${signal}_COMPRESSION`, ['gzip', 'none'], 'set gzip or none')
    variables.number(`OTEL_EXPORTER_OTLP${signal}_TIMEOUT`, anyMs)
  }
  const pairs = (variables.text('OTEL_RESOURCE_ATTRIBUTES') ?? '')
    .split(',')
    .filter((pair) => pair.trim() !== '')
  if (!pairs.every(isPair))
    faults.push(
      'OTEL_RESOURCE_ATTRIBUTES must be name=value,name=value, with , and = inside of them percent-encoded, like deployment.environment.name=production',
    )
}

function isPair(pair: string): boolean {
  const [name = '', value, ...rest] = pair.split('=')
  try {
    return (
      decodeURIComponent(name).trim() !== '' &&
      value !== undefined &&
      decodeURIComponent(value) !== null &&
      rest.length === 0
    )
  } catch {
    return false
  }
}

/** `name=value,name=value`, percent-encoded. */
function headerValues(variables: Variables): readonly string[] {
  return ['', '_TRACES', '_METRICS']
    .flatMap((signal) => (variables.text(`OTEL_EXPORTER_OTLP${signal}_HEADERS`) ?? '').split(','))
    .map((header) => header.slice(header.indexOf('=') + 1).trim())
    .filter((value) => value !== '')
}
