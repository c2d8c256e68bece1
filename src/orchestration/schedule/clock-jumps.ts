const CHECK_INTERVAL_MS = 5000
/** NTP corrects a clock by far less between two checks. */
const MAX_DRIFT_MS = 2000

/**
 * Calls back when the wall clock jumps: the machine slept, or the clock was set. Timers stop during sleep: a timer of an
 * hour would fire an hour late.
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
