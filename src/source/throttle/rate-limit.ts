/**
 * The rate limit, learned from the responses alone: a bound on concurrent requests and, after a rejection, a rate
 * (starts per second). Pure: a state and an event in, a state out. Times are ms on one clock.
 *
 * - **A limit**: the rejections stop at a lower rate. A rejection halves both bounds. Within ten responses the rate
 *   rises to 0.92 of the rejected rate, and stays there. When the responses per second since the first rejection,
 *   pauses included, are far lower, they replace the rejected rate. That measure is exact for buckets and windows.
 * - **A probe** tests whether the limit still applies. It begins 10 s after a rejection when 140 responses paid for each
 *   rejection, else after 28 s; never before 65 responses. Rate and concurrency double every four responses, until
 *   nothing limits the requests or one is rejected; then the old bounds return. So a limit costs one rejection in a
 *   hundred requests, and 28 s and about 30 responses after its end the full rate is back. The steps of the next
 *   probe are longer for a large bucket: a quarter of the responses of the last probe.
 * - **Random rejections** do not stop: two in a row came at a rate that was sustained before, with responses between
 *   them. They say nothing about the rate and no longer change it (rejection-share.ts).
 * - **A closed service** rejects everything: each attempt halves the rate, down to one every 15 s. After three seconds
 *   the cause is not the rate (a used-up quota, a repair), and a probe begins with the next response.
 *
 * `npm run throttle` shows the result under twelve kinds of limits.
 */
import type { RejectionEpisode, RateLimitState, Probe, RequestStart } from './rate-limit-state.ts'
import { startProbe, UNLIMITED_RATE, continueProbe, intervalOf, MIN_LIMIT } from './probe.ts'
import { noResponsesSince, addResponse, rateBetween, rateIncluding } from './recent-rate.ts'
import { asRandom, countResponse, countRejection } from './rejection-share.ts'

/** The rate that is kept, as a share of the rejected rate. */
const SAFE_SHARE = 0.92
const RESPONSES_TO_RECOVER = 10
const RESPONSES_PER_REJECTION = 140
const MIN_RESPONSES = 65
const MIN_HOLD_MS = 10_000
const MAX_HOLD_MS = 28_500
/** Many services count by the second: after a rejection they may reject the rest of that second. */
const SECOND_MS = 1000
const REST_INTERVALS = 20
/** A failed probe that got so much further than any before met another limit. */
const OTHER_LIMIT_FACTOR = 1.5
const MIN_PROBE_RESPONSES = 10
/** Each failed probe raises the rejected rate a little, for knowledge of a limit ages. */
const AGEING = 1.01
/** Ten responses raise an unconfirmed rate by this factor. */
const GUESS_STEP = 1.05
/** A rejected rate further above the measured rate is replaced by the measured rate. */
const MAX_RATE_OVER_GOODPUT = 1.6
/** A rate below this share of the sustained rate does not explain a rejection. */
const SUSTAINED_SHARE = 0.95
// guard: random refusals
const MAX_UNEXPLAINED = 2
const RESPONSES_PER_PERMIT = 4
/** A closed service is tried at least every 15 s. */
const MIN_RATE = 1 / 15
const LONG_REJECTING_MS = 3000
const MIN_GOODPUT_RESPONSES = 15

/** The wait before the next request, in ms; 0 when it may start. */
export function delayBeforeStart(state: RateLimitState, now: number): number {
  return state.rate === Infinity ? 0 : Math.max(0, state.nextStart - now)
}

export function afterStart(state: RateLimitState, now: number): RateLimitState {
  if (state.rate === Infinity) return state
  const interval = intervalOf(state.rate)
  // A late timer is compensated, but only by a quarter of an interval: no burst follows.
  return { ...state, nextStart: Math.max(state.nextStart, now - interval / 4) + interval }
}

/** A response other than a rejection. */
export function afterResponse(before: RateLimitState, start: RequestStart, now: number): RateLimitState {
  const { episode } = before
  const state = {
    ...before,
    recent: addResponse(before.recent, now),
    responsesOwed: Math.max(0, before.responsesOwed - 1),
    responsesSinceRejection: before.responsesSinceRejection + 1,
    share: countResponse(before.share),
    // A request in flight at the first rejection does not belong to the episode.
    episode:
      episode && start.at >= episode.since ? { ...episode, responses: episode.responses + 1 } : episode,
  }
  if (start.at < state.changedAt) return state
  const open = state.rejectingSince === null ? state : resume(state, start, now)
  if (open.probe !== null) return continueProbe(open, open.probe, start, now)
  if (open.rejectedRate === Infinity) return increaseConcurrency(open)
  // guard: probe
  return isTimeToProbe(open, now) ? startProbe({ ...open, episode: null }, now) : increaseRate(open, start)
}

/**
 * The service rejected the request: 429 or 503.
 *
 * @param pause the time of `Retry-After` in ms; 0 without one
 */
export function afterRejection(
  before: RateLimitState,
  start: RequestStart,
  now: number,
  pause: number,
): RateLimitState {
  const share = countRejection(before.share)
  const episode = before.episode && { ...before.episode, rejections: before.episode.rejections + 1 }
  if (share.isRandom) return { ...before, share, episode }
  const state = {
    ...before,
    share,
    // More rejections than chance explains: a new episode begins.
    episode: before.share.isRandom ? null : episode,
    responsesOwed: before.responsesOwed + RESPONSES_PER_REJECTION,
    responsesSinceRejection: 0,
    rejectingUntil: Math.max(before.rejectingUntil, now + pause),
  }
  if (start.at < state.changedAt) return state
  if (state.rejectingSince !== null) {
    const isPauseTooShort = before.rejectingUntil > state.rejectingSince && start.at >= before.rejectingUntil
    return backOff({ ...state, isPauseTooShort: state.isPauseTooShort || isPauseTooShort }, now, pause)
  }
  const rejecting = {
    ...state,
    rejectingSince: now,
    isPauseTooShort: false,
    changedAt: now,
    responsesAtConcurrency: 0,
  }
  return rejecting.probe === null
    ? lowerLimits(rejecting, start, now)
    : failProbe(rejecting, rejecting.probe, start, now)
}

/** A request timed out, or the service has stalled: the concurrency is halved. The rate is not the cause. */
export function afterOverload(
  state: RateLimitState,
  start: Pick<RequestStart, 'at'>,
  now: number,
): RateLimitState {
  if (start.at < state.changedAt) return state
  return { ...state, concurrency: half(state.concurrency), responsesAtConcurrency: 0, changedAt: now }
}

/** Further rejections without a response between them mean a closed service: the learned limit does not change. */
function backOff(state: RateLimitState, now: number, pause: number): RateLimitState {
  // A service that names pauses is tried after every second pause.
  const slowest = pause === 0 ? MIN_RATE : Math.max(MIN_RATE, Math.min(state.rate, 500 / pause))
  const rate = Math.max(slowest, state.rate / 2)
  return { ...state, rate, nextStart: now + intervalOf(rate), changedAt: now }
}

/** Lowers both bounds, unless the rejections turn out to be random. */
function lowerLimits(state: RateLimitState, start: RequestStart, now: number): RateLimitState {
  const measured = start.wasDelayed
    ? state.rate
    : Math.min(state.rate, rateIncluding(state.recent, start.at, now))
  const rejectedRate = Math.max(MIN_LIMIT, measured)
  const episode = state.episode ?? {
    since: now,
    responses: 0,
    rejections: 0,
    sustainedRate: 0,
    unexplained: 0,
  }
  const { sustainedRate } = episode
  const unexplained = rejectedRate < sustainedRate * SUSTAINED_SHARE ? episode.unexplained + 1 : 0
  if (unexplained >= MAX_UNEXPLAINED) return acceptRandomRejections(state, episode, now)
  // guard: half the rate
  const rate = Math.max(MIN_RATE, rejectedRate / 2, sustainedRate / 2)
  return {
    ...state,
    concurrency: half(state.concurrency),
    rate,
    nextStart: now + intervalOf(rate),
    rejectedRate,
    isConfirmed: start.wasDelayed,
    isLearning: true,
    episode: { ...episode, unexplained },
  }
}

/** The rejections are random: a probe raises the rate until something else limits the requests. */
function acceptRandomRejections(
  state: RateLimitState,
  { responses, rejections }: RejectionEpisode,
  now: number,
): RateLimitState {
  const share = asRandom(state.share, rejections / (responses + rejections))
  return startProbe(
    { ...state, share, episode: null, rejectingSince: null, longestProbe: 0, responsesOwed: 0 },
    now,
  )
}

/** The first response after rejections. */
function resume(state: RateLimitState, start: RequestStart, now: number): RateLimitState {
  const rejectingForMs = state.rejectingUntil - (state.rejectingSince ?? now)
  const isUnexplained = state.isPauseTooShort && state.episode !== null && state.episode.responses > 0
  const episode = isUnexplained
    ? { ...state.episode, unexplained: state.episode.unexplained + 1 }
    : state.episode
  const open = { ...state, rejectingSince: null, recent: noResponsesSince(now), changedAt: now, episode }
  if (episode !== null && episode.unexplained >= MAX_UNEXPLAINED)
    return acceptRandomRejections(open, episode, now)
  if (rejectingForMs >= LONG_REJECTING_MS) {
    const rate = Math.max(state.rate, Math.min(UNLIMITED_RATE, state.rejectedRate) / 2)
    return startProbe({ ...open, rate }, now)
  }
  const isTelling = state.isLearning && episode !== null && episode.responses >= MIN_GOODPUT_RESPONSES
  const goodput = isTelling ? rateBetween(episode.since, start.at, episode.responses) : null
  const isFar = goodput !== null && state.rejectedRate > goodput * MAX_RATE_OVER_GOODPUT
  const rejectedRate = isFar ? goodput : state.rejectedRate
  const rate = Math.min(rejectedRate * SAFE_SHARE, Math.max(state.rate, rejectedRate / 2))
  return {
    ...open,
    rate,
    rejectedRate,
    isConfirmed: state.isConfirmed && !isFar,
    nextStart: now + intervalOf(rate),
    episode: episode && { ...episode, sustainedRate: Math.max(episode.sustainedRate, goodput ?? 0) },
  }
}

/** Raises the rate towards the safe share of the rejected rate. */
function increaseRate(state: RateLimitState, start: RequestStart): RateLimitState {
  const safe = state.rejectedRate * SAFE_SHARE
  if (state.rate >= safe) {
    const isGuess =
      !state.isConfirmed && start.wasDelayed && state.responsesSinceRejection % RESPONSES_TO_RECOVER === 0
    return isGuess ? { ...state, rejectedRate: state.rejectedRate * GUESS_STEP } : state
  }
  return { ...state, rate: Math.min(safe, state.rate + safe / RESPONSES_TO_RECOVER) }
}

/** Adds one concurrent request after four responses for each permit. */
function increaseConcurrency(state: RateLimitState): RateLimitState {
  if (state.concurrency === state.maxConcurrency) return state
  const responsesAtConcurrency = state.responsesAtConcurrency + 1
  return responsesAtConcurrency < RESPONSES_PER_PERMIT * state.concurrency
    ? { ...state, responsesAtConcurrency }
    : { ...state, responsesAtConcurrency: 0, concurrency: state.concurrency + 1 }
}

/** Whether the limit was kept long enough since the last rejection. */
function isTimeToProbe(
  { responsesSinceRejection, responsesOwed, rejectingUntil }: RateLimitState,
  now: number,
): boolean {
  if (responsesSinceRejection < MIN_RESPONSES) return false
  return now - rejectingUntil >= (responsesOwed === 0 ? MIN_HOLD_MS : MAX_HOLD_MS)
}

/** The limit still applies. When the probe got much further than any before, it met a new limit, which is learned. */
function failProbe(state: RateLimitState, probe: Probe, start: RequestStart, now: number): RateLimitState {
  const isAnother =
    state.longestProbe > 0 &&
    probe.responses > Math.max(MIN_PROBE_RESPONSES, state.longestProbe) * OTHER_LIMIT_FACTOR
  const failed = {
    ...state,
    probe: null,
    isLearning: false,
    longestProbe: Math.max(state.longestProbe, probe.responses),
  }
  if (isAnother)
    return lowerLimits(
      { ...failed, concurrency: probe.provenConcurrency * 2, episode: null, longestProbe: 0 },
      start,
      now,
    )
  const { rate, provenConcurrency: concurrency } = probe
  const rejectedRate = state.rejectedRate * AGEING
  const restMs = Math.max(intervalOf(rate), Math.min(SECOND_MS, REST_INTERVALS * intervalOf(rate)))
  return { ...failed, concurrency, rate, rejectedRate, nextStart: now + restMs }
}

function half(concurrency: number): number {
  // guard: half the concurrency
  return Math.max(1, Math.floor(concurrency / 2))
}
