import { InterruptedError } from '../common/errors.ts'

/** What ended a run, in our family: once the caller has aborted it is an interruption, whatever broke on the way. */
export function toInterruptedError(signal: AbortSignal | undefined, cause: unknown): unknown {
  if (signal?.aborted !== true) return cause
  if (signal.reason instanceof InterruptedError) return signal.reason
  return new InterruptedError(
    'The run was interrupted. What was stored stays; the next run goes on with the rest.',
    143,
    { cause },
  )
}
