/** What the variables of OpenTelemetry ask for: can it be followed, and does the collector answer. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { errorCode } from '../../../common/error-code.ts'
import { withoutBrackets } from '../../../common/listen.ts'
import { formatDuration } from '../../../common/text/format-duration.ts'
import { inspectTelemetry } from '../../../config/read-telemetry.ts'
import { ownEnvironment } from '../../../config/secrets.ts'
import { failed, ok, USAGE, warning, type CheckResult } from './check.ts'
import type { RecordCheck } from './record-checks.ts'

/** So long one that does not answer is waited for. */
const DEADLINE_MS = 2000
const DEFAULT_ADDRESS = 'http://localhost:4318'

/** Records nothing where nothing is asked for. Nothing is sent: a collector that takes a connection is one that answers. */
export async function checkTelemetry(record: RecordCheck, signal: AbortSignal): Promise<void> {
  const result = await telemetryResult(signal)
  if (result !== null) await record('telemetry', result)
}

async function telemetryResult(signal: AbortSignal): Promise<CheckResult | null> {
  const { config, faults } = inspectTelemetry()
  if (faults.length > 0) return failed(USAGE, faults.join('\n'))
  if (config === null) return null
  const signals = (['traces', 'metrics'] as const).filter((name) => config[name] !== null)
  const addresses = new Set(signals.map(collectorOf))
  const silent: string[] = []
  for (const address of addresses) {
    const reason = await reasonOfSilence(new URL(address), signal)
    if (reason !== null) silent.push(`${address} (${reason})`)
  }
  const what = signals.map((name) => (name === 'traces' ? 'spans' : name)).join(' and ')
  if (silent.length === 0) return ok(`${what} go to ${[...addresses].join(' and ')}`)
  return warning(
    `no collector answers at ${silent.join(' and ')}: start it, or mend OTEL_EXPORTER_OTLP_ENDPOINT; runs go on without it`,
  )
}

/** Without a name and a password, and without a path that may hold a key. */
function collectorOf(name: 'traces' | 'metrics'): string {
  const own = ownEnvironment[`OTEL_EXPORTER_OTLP_${name.toUpperCase()}_ENDPOINT`]?.trim()
  const general = ownEnvironment['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim()
  return new URL(own || general || DEFAULT_ADDRESS).origin
}

/** Null: it takes a connection. */
async function reasonOfSilence(address: URL, signal: AbortSignal): Promise<string | null> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const port = Number(address.port || (address.protocol === 'https:' ? 443 : 80))
  const socket = connect({ host: withoutBrackets(address.hostname), port })
  try {
    await once(socket, 'connect', { signal: deadline })
    return null
  } catch (error) {
    if (deadline.aborted) return `no answer within ${formatDuration(DEADLINE_MS)}`
    return errorCode(error) ?? String(error)
  } finally {
    socket.destroy()
  }
}
