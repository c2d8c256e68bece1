import { InterruptedError } from '../common/errors.ts'

/** The error that ended a run: an InterruptedError once the caller has aborted, whatever failed because of that. */
export function toInterruptedError(signal: AbortSignal | undefined, cause: unknown): unknown {
  if (signal?.aborted !== true) return cause
  if (signal.reason instanceof InterruptedError) return signal.reason
  return new InterruptedError(
    'The run was interrupted. What was stored stays; the next run goes on with the rest.',
    143,
    { cause },
  )
}
