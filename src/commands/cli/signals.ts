import { InterruptedError } from '../../common/errors.ts'

/** Container engines kill at ten seconds; the end is promised within eight, and the process itself takes a moment. */
const SHUTDOWN_GRACE_MS = 7500

/** A terminal, a service manager and whoever started this process may each hand on one and the same signal. */
const SAME_SIGNAL_MS = 500

/**
 * The first SIGINT or SIGTERM asks the work to end cleanly; the second ends the process at once, and so does
 * the time a clean end may take.
 */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  const listen = (signal: 'SIGINT' | 'SIGTERM', exitCode: 130 | 143) => {
    process.on(signal, () => {
      if (controller.signal.aborted) {
        if (performance.now() - firstAt < SAME_SIGNAL_MS) return
        process.exit(exitCode)
      }
      firstAt = performance.now()
      // Without what Node tears down after the last event: it listens to no signal then, and a second one would end it without its exit code.
      process.once('exit', () => process.exit())
      setTimeout(() => process.exit(exitCode), SHUTDOWN_GRACE_MS).unref()
      controller.abort(new InterruptedError(`interrupted by ${signal}`, exitCode))
    })
  }
  listen('SIGINT', 130)
  listen('SIGTERM', 143)
  return controller.signal
}
