/** A probe of the learned limit: both bounds double in steps until a request is rejected or neither bound limits. */
import type { RateLimitState, Probe, RequestStart } from './rate-limit-state.ts'

const MIN_STEP_RESPONSES = 4
const MAX_STEP_RESPONSES = 25
/** The step's length as a share of the responses of the last probe. */
const STEP_SHARE = 1 / 4
const SEQUENTIAL_RATE = 10
/** Timers have a resolution of 1 ms. */
export const UNLIMITED_RATE = 1000
/** No limit is taken for slower. */
export const MIN_LIMIT = 0.1

export function startProbe(state: RateLimitState, now: number): RateLimitState {
  const { rate, concurrency } = state
  // At a low rate one concurrent request is enough, and then only one is rejected.
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

/** Counts a response during a probe. At the end of each step, the bounds that limited the requests double. */
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
  // A bucket that holds many tokens shows its limit only when it is empty.
  return probe?.isFree === true ? MAX_STEP_RESPONSES * 4 : step
}

/** The interval in ms for a rate of starts per second. */
export function intervalOf(rate: number): number {
  return 1000 / rate
}
