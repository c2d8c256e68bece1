/** A point in time on both clocks, in milliseconds: one stands still while the machine sleeps, the other may be set. */
export interface Moment {
  readonly wall: number
  readonly steady: number
}

export function now(): Moment {
  return { wall: Date.now(), steady: performance.now() }
}

/** How long ago a moment was; where the clocks do not agree, the longer time counts. */
export function ageOf(moment: Moment): number {
  return Math.max(Date.now() - moment.wall, performance.now() - moment.steady)
}
