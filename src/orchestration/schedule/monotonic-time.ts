/** A point in time on both clocks, in ms: the monotonic clock stops while the machine sleeps, the wall clock may be set. */
export interface MonotonicTime {
  readonly wall: number
  readonly monotonic: number
}

export function now(): MonotonicTime {
  return { wall: Date.now(), monotonic: performance.now() }
}

/** The age of a moment: the longer time when the clocks disagree. */
export function ageOf(moment: MonotonicTime): number {
  return Math.max(Date.now() - moment.wall, performance.now() - moment.monotonic)
}
