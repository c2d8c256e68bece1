/**
 * How fast a service is asked, learned from its answers alone: a bound on the requests at once and, once it rejected
 * one, a rate (starts a second). Pure: a pace and what happened in, a pace out; times are ms on one clock.
 *
 * - **A limit** is rejections that stop when the service is asked more slowly. A rejection halves both bounds; the rate
 *   then comes back in ten answers to nine tenths of what is known to be too much: the rate that was rejecting, or, when
 *   that is less, the answers a second since the rejections began, pauses included (exact for a bucket and for windows,
 *   for both are empty at either end). There it is held.
 * - **A probe** asks whether the limit still holds: 10 s after a rejection when each was paid for by 140 answers, else
 *   after 28 s, and after 65 answers at the least, the rate doubles every four answers, and the requests at once with it, until nothing
 *   holds them back or one is rejected; then all is as before. So a limit costs one rejection in a hundred requests, and
 *   28 s and some 30 answers after its end the service is asked as fast as ever. A bucket that holds many is probed in
 *   longer steps: a quarter of the answers that the last probe got.
 * - **Random rejections** do not stop: three in a row came at a rate that was known to be kept up before, with others
 *   answered between. They say nothing about the rate and no longer change it (rejection-share.ts).
 * - **A closed service** rejects all: it is tried at half the rate each time, every 15 s at the least. Three seconds of
 *   that are no matter of the rate (a quota was used up, one list is rejected with a long pause, a repair), and it is
 *   probed at once when it answers again: a pause that is named need not be guessed.
 *
 * `npm run throttle` shows what comes of it under twelve kinds of limits.
 */
import type { RejectionEpisode, RateLimitState, Probe, RequestStart } from './rate-limit-state.ts'
import { startProbe, UNLIMITED_RATE, continueProbe, intervalOf, MIN_LIMIT } from './probe.ts'
import { noResponsesSince, addResponse, rateBetween, rateIncluding } from './recent-rate.ts'
import { asRandom, countResponse, countRejection } from './rejection-share.ts'

/** Of the rate that was rejected. */
const SAFE_SHARE = 0.92
const RESPONSES_TO_RECOVER = 10
const RESPONSES_PER_REJECTION = 140
const MIN_RESPONSES = 65
const MIN_HOLD_MS = 10_000
const MAX_HOLD_MS = 28_500
/** Many services count by the second: so long they may refuse once it is used up. At a high rate it is worth a try before. */
const SECOND_MS = 1000
const REST_INTERVALS = 20
/** A probe that got so much further than any before met with another limit. */
const OTHER_LIMIT_FACTOR = 1.5
const MIN_PROBE_RESPONSES = 10
/** What is known of a limit grows old: from each failed probe to the next it is taken for higher. */
const AGEING = 1.01
/** A guess is raised by so much for every ten answers. */
const GUESS_STEP = 1.05
/** A rate that was rejected is not much above what is kept up, or it says little. */
const MAX_RATE_OVER_GOODPUT = 1.6
/** A rejection is not explained by a rate of less than this share of what was kept up. */
const SUSTAINED_SHARE = 0.95
// guard: random refusals
const MAX_UNEXPLAINED = 2
const RESPONSES_PER_PERMIT = 4
/** A closed service is tried every 15 s at the least. */
const MIN_RATE = 1 / 15
const LONG_REJECTING_MS = 3000
const MIN_GOODPUT_RESPONSES = 15

/** How long the next request has to wait, in ms; 0 when it may start. */
export function delayBeforeStart(state: RateLimitState, now: number): number {
  return state.rate === Infinity ? 0 : Math.max(0, state.nextStart - now)
}

export function afterStart(state: RateLimitState, now: number): RateLimitState {
  if (state.rate === Infinity) return state
  const interval = intervalOf(state.rate)
  // A timer that came late is made up for, but only so far that no burst comes of it.
  return { ...state, nextStart: Math.max(state.nextStart, now - interval / 4) + interval }
}

/** The service answered, with whatever but a rejection. */
export function afterResponse(before: RateLimitState, start: RequestStart, now: number): RateLimitState {
  const { episode } = before
  const state = {
    ...before,
    recent: addResponse(before.recent, now),
    responsesOwed: Math.max(0, before.responsesOwed - 1),
    responsesSinceRejection: before.responsesSinceRejection + 1,
    share: countResponse(before.share),
    // An answer that was under way when rejections began belongs to what was before.
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
 * @param pause what it asked for with `Retry-After`, in ms; else 0
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
    // What rejects beyond chance is something new.
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

/** The request took too long, or the service is silent: fewer at once; how often they start is not what is wrong. */
export function afterOverload(
  state: RateLimitState,
  start: Pick<RequestStart, 'at'>,
  now: number,
): RateLimitState {
  if (start.at < state.changedAt) return state
  return { ...state, concurrency: half(state.concurrency), responsesAtConcurrency: 0, changedAt: now }
}

/** Refused again with nothing answered between, a service is not asked too fast, it is closed: the limit is what it was. */
function backOff(state: RateLimitState, now: number, pause: number): RateLimitState {
  // A service that names pauses is tried after each second one.
  const slowest = pause === 0 ? MIN_RATE : Math.max(MIN_RATE, Math.min(state.rate, 500 / pause))
  const rate = Math.max(slowest, state.rate / 2)
  return { ...state, rate, nextStart: now + intervalOf(rate), changedAt: now }
}

/** Lowers both bounds, unless the rejection shows that this is no use. */
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
  // guard: half the pace
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

/** The rejections are random: the service is asked faster until something else holds the requests back. */
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

/** The first answer after rejections. */
function resume(state: RateLimitState, start: RequestStart, now: number): RateLimitState {
  const rejectingForMs = state.rejectingUntil - (state.rejectingSince ?? now)
  const isUnexplained = state.isPauseTooShort && state.episode !== null && state.episode.responses > 0
  const episode = isUnexplained ? countUnexplained(state.episode) : state.episode
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

function countUnexplained(episode: RejectionEpisode): RejectionEpisode {
  return { ...episode, unexplained: episode.unexplained + 1 }
}

/** Towards the rate that is held. */
function increaseRate(state: RateLimitState, start: RequestStart): RateLimitState {
  const safe = state.rejectedRate * SAFE_SHARE
  if (state.rate >= safe) {
    const isGuess =
      !state.isConfirmed && start.wasDelayed && state.responsesSinceRejection % RESPONSES_TO_RECOVER === 0
    return isGuess ? { ...state, rejectedRate: state.rejectedRate * GUESS_STEP } : state
  }
  return { ...state, rate: Math.min(safe, state.rate + safe / RESPONSES_TO_RECOVER) }
}

/** One more at once, the more rarely the more there are. */
function increaseConcurrency(state: RateLimitState): RateLimitState {
  if (state.concurrency === state.maxConcurrency) return state
  const responsesAtConcurrency = state.responsesAtConcurrency + 1
  return responsesAtConcurrency < RESPONSES_PER_PERMIT * state.concurrency
    ? { ...state, responsesAtConcurrency }
    : { ...state, responsesAtConcurrency: 0, concurrency: state.concurrency + 1 }
}

/** A hold that was kept to its end shows that the limit explains the rejections. */
function isTimeToProbe(
  { responsesSinceRejection, responsesOwed, rejectingUntil }: RateLimitState,
  now: number,
): boolean {
  if (responsesSinceRejection < MIN_RESPONSES) return false
  return now - rejectingUntil >= (responsesOwed === 0 ? MIN_HOLD_MS : MAX_HOLD_MS)
}

/** The limit still holds. One that the probe met much later than any before is another, and learned anew. */
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
  // guard: half the places
  return Math.max(1, Math.floor(concurrency / 2))
}
