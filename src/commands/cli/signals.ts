import { writeSync } from 'node:fs'
import { InterruptedError } from '../../common/errors.ts'

/** Container engines kill at ten seconds; the end is promised within eight, and the process itself takes a moment. */
const SHUTDOWN_GRACE_MS = 7500

/** A terminal, a service manager and whoever started this process may each hand on one and the same signal. */
const SAME_SIGNAL_MS = 500

/** SIGHUP comes when the terminal or the ssh session is closed. Node takes it back from `nohup`, and does not tell that it was ignored. */
const exitCodeOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * The first signal asks the work to end cleanly; the second ends the process at once, and so does the time a clean end may take.
 */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  for (const [signal, exitCode] of Object.entries(exitCodeOf)) {
    process.on(signal, () => {
      if (controller.signal.aborted) {
        if (performance.now() - firstAt < SAME_SIGNAL_MS) return
        process.exit(exitCode)
      }
      firstAt = performance.now()
      // Without what Node tears down after the last event: it listens to no signal then, and a second one would end it without its exit code.
      process.once('exit', () => process.exit())
      setTimeout(() => {
        // The work has ended with its own exit code: main ends what is still open.
        if (process.exitCode !== undefined) return
        tellCutOff(signal)
        process.exit(exitCode)
      }, SHUTDOWN_GRACE_MS).unref()
      controller.abort(new InterruptedError(`interrupted by ${signal}`, exitCode))
    })
  }
  return controller.signal
}

/** Written at once, for the process ends. */
function tellCutOff(signal: string): void {
  try {
    writeSync(
      process.stderr.fd,
      `headcount: interrupted by ${signal}; the work did not end within ${SHUTDOWN_GRACE_MS / 1000} s and was cut off: the database rolls back what was begun\n`,
    )
  } catch {
    // Nobody reads it.
  }
}
