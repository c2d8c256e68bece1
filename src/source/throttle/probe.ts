/** A probe: whether the limit that is held still holds. Both bounds are doubled in steps, until one is rejected or neither is left. */
import type { RateLimitState, Probe, RequestStart } from './rate-limit-state.ts'

const MIN_STEP_RESPONSES = 4
const MAX_STEP_RESPONSES = 25
/** Of the answers that the last probe got. */
const STEP_SHARE = 1 / 4
const SEQUENTIAL_RATE = 10
/** Timers count in ms. */
export const UNLIMITED_RATE = 1000
/** A slower limit is not believed. */
export const MIN_LIMIT = 0.1

export function startProbe(state: RateLimitState, now: number): RateLimitState {
  const { rate, concurrency } = state
  // At a low rate one at once is enough, and only one is rejected.
  const few = rate < SEQUENTIAL_RATE ? 1 : concurrency
  const probe = {
    rate,
    concurrency,
    provenConcurrency: concurrency,
    responses: 0,
    step: 0,
    delayed: 0,
    isFree: false,
  }
  return doubleRate({ ...state, concurrency: few, probe, responsesOwed: 0 }, probe, now)
}

/** The next step of a probe. */
function doubleRate(state: RateLimitState, probe: Probe, now: number): RateLimitState {
  const rate = Math.max(state.rate, MIN_LIMIT) * 2
  const nextStart = Math.min(state.nextStart, now + intervalOf(rate))
  return { ...state, rate, nextStart, changedAt: now, probe: { ...probe, step: 0, delayed: 0 } }
}

/** An answer during a probe; at the end of each step both bounds are doubled, as far as they hold the requests back. */
export function continueProbe(
  state: RateLimitState,
  before: Probe,
  start: RequestStart,
  now: number,
): RateLimitState {
  const probe = {
    ...before,
    responses: before.responses + 1,
    step: before.step + 1,
    delayed: before.delayed + (start.wasDelayed ? 1 : 0),
  }
  if (probe.step < stepLength(state)) return { ...state, probe }
  const proven = { ...probe, provenConcurrency: Math.max(probe.provenConcurrency, state.concurrency) }
  const isHeld = probe.delayed > probe.step / 2 && state.rate < UNLIMITED_RATE
  if (isHeld) return doubleRate(state, proven, now)
  if (state.concurrency < state.maxConcurrency) {
    const concurrency = Math.min(state.maxConcurrency, state.concurrency * 2)
    return doubleRate({ ...state, concurrency }, proven, now)
  }
  if (!probe.isFree) return doubleRate({ ...state, rate: Infinity }, { ...proven, isFree: true }, now)
  return {
    ...state,
    probe: null,
    rate: Infinity,
    rejectedRate: Infinity,
    isConfirmed: false,
    longestProbe: 0,
    responsesAtConcurrency: 0,
  }
}

function stepLength({ longestProbe, probe }: RateLimitState): number {
  const usual = Math.max(MIN_STEP_RESPONSES, Math.ceil(longestProbe * STEP_SHARE))
  const step = Math.min(MAX_STEP_RESPONSES, usual)
  // A service that holds many in store is known only when all of them are used up.
  return probe?.isFree === true ? MAX_STEP_RESPONSES * 4 : step
}

/** In ms, from starts a second. */
export function intervalOf(rate: number): number {
  return 1000 / rate
}
