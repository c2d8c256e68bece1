/** The lifetime of a source: it ends when the source is closed, the caller aborts, or the run's deadline passes. */
import { HeadcountError, InterruptedError, RunTimeoutError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { MAX_TIMER_MS, NEVER, onAbort } from '../../common/abort.ts'

export interface SourceLifetime extends Disposable {
  /** Aborted at the end; its reason is always a HeadcountError. */
  readonly signal: AbortSignal
  /** The time until the run's deadline, in ms; null without a deadline. */
  remainingMs(): number | null
  /** The time since its start, in ms. */
  ageMs(): number
}

/** @param runDeadline by `performance.now()`, in ms */
export function startLifetime(signal: AbortSignal | undefined, runDeadline: number | null): SourceLifetime {
  const controller = new AbortController()
  const startedAt = performance.now()
  const leftMs = (): number | null =>
    runDeadline === null ? null : Math.max(0, runDeadline - performance.now())
  let timer: NodeJS.Timeout | undefined
  const watch = (): void => {
    const left = leftMs()
    if (left === null) return
    if (left === 0) {
      controller.abort(
        new RunTimeoutError(`The run deadline (${optionName('runTimeoutMs')}) passed before all was read.`),
      )
      return
    }
    timer = setTimeout(watch, Math.min(Math.ceil(left), MAX_TIMER_MS))
    // The deadline alone must not keep the process alive.
    timer.unref()
  }
  const takeBack = onAbort(signal ?? NEVER, (reason) => controller.abort(toHeadcountError(reason)))
  watch()
  return {
    signal: controller.signal,
    remainingMs: leftMs,
    ageMs: () => performance.now() - startedAt,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      takeBack()
      controller.abort(new InterruptedError('The source was closed while it was being read.'))
    },
  }
}

/** A HeadcountError of the caller (a signal, a lost lease) stays as it is. */
function toHeadcountError(reason: Error): HeadcountError {
  if (reason instanceof HeadcountError) return reason
  return new InterruptedError('The work was interrupted by its caller.', 143, { cause: reason })
}
