const CHECK_INTERVAL_MS = 5000
/** Clocks that are kept by the network drift by far less between two looks. */
const MAX_DRIFT_MS = 2000

/**
 * Tells when the wall clock moved without time passing for this process: the machine slept, or the clock was set.
 * Timers stand still in a sleep, so that one of an hour would ring an hour after the machine woke.
 *
 * @returns a function that ends the watch
 */
export function onClockJump(onJump: (milliseconds: number) => void): () => void {
  const difference = () => Date.now() - performance.now()
  let known = difference()
  const timer = setInterval(() => {
    const jump = difference() - known
    known += jump
    if (Math.abs(jump) > MAX_DRIFT_MS) onJump(jump)
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(timer)
}
