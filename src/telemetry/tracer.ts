import { trace, type Tracer, type TracerProvider } from '@opentelemetry/api'
import { version } from '../common/version.ts'

/** The name of the instrumentation, of spans and of metrics. */
export const SCOPE = 'headcount'

let provider: TracerProvider | null = null
let current: Tracer | null = null

/** The tracer of the registered provider. */
export function tracer(): Tracer {
  const registered = trace.getTracerProvider()
  if (current === null || registered !== provider) {
    provider = registered
    // The version is read from a file: once, not for each span.
    current = registered.getTracer(SCOPE, version())
  }
  return current
}
