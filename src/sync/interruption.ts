import { DatabaseError, InterruptedError, LeaseLostError } from '../errors.ts'

/** What ended a run, in our family: an abort by the caller is an interruption, whatever its reason. */
export function asInterruption(signal: AbortSignal | undefined, cause: unknown): unknown {
  if (cause instanceof DatabaseError || cause instanceof LeaseLostError) return cause
  if (signal?.aborted !== true) return cause
  if (signal.reason instanceof InterruptedError) return signal.reason
  return new InterruptedError(
    'The run was interrupted. What was stored stays; the next run goes on with the rest.',
    143,
    { cause },
  )
}
