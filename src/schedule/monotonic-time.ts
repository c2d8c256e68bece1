/** A point in time on both clocks, in milliseconds: one stands still while the machine sleeps, the other may be set. */
export interface MonotonicTime {
  readonly wall: number
  readonly monotonic: number
}

export function now(): MonotonicTime {
  return { wall: Date.now(), monotonic: performance.now() }
}

/** How long ago a moment was; where the clocks do not agree, the longer time counts. */
export function ageOf(moment: MonotonicTime): number {
  return Math.max(Date.now() - moment.wall, performance.now() - moment.monotonic)
}
