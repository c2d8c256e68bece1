/**
 * How fast a service is asked, learned from its answers alone: a bound on the requests at once and, once it refused
 * one, a rate (starts a second). Pure: a pace and what happened in, a pace out; times are ms on one clock.
 *
 * - **A limit** is refusals that stop when the service is asked more slowly. A refusal halves both bounds; the rate
 *   then comes back in ten answers to nine tenths of what is known to be too much: the rate that was refused, or, when
 *   that is less, the answers a second since the refusals began, pauses included (exact for a bucket and for windows,
 *   for both are empty at either end). There it is held.
 * - **A probe** asks whether the limit still holds: 10 s after a refusal when each was paid for by 140 answers, else
 *   after 28 s, and after 65 answers at the least, the rate doubles every four answers, and the requests at once with it, until nothing
 *   holds them back or one is refused; then all is as before. So a limit costs one refusal in a hundred requests, and
 *   28 s and some 30 answers after its end the service is asked as fast as ever. A bucket that holds many is probed in
 *   longer steps: a quarter of the answers that the last probe got.
 * - **Random refusals** do not stop: three in a row came at a rate that was known to be kept up before, with others
 *   answered between. They say nothing about the rate and no longer change it (rejection-share.ts).
 * - **A closed service** refuses all: it is tried at half the rate each time, every 15 s at the least. Three seconds of
 *   that are no matter of the rate (a quota was used up, one list is refused with a long pause, a repair), and it is
 *   probed at once when it answers again: a pause that is named need not be guessed.
 *
 * `npm run throttle` shows what comes of it under twelve kinds of limits.
 */
import type { Episode, Pace, Probe, Start } from './rate-limit-state.ts'
import { beginProbe, FREE_RATE, goOn, intervalOf, SLOWEST_LIMIT } from './probe.ts'
import { noneSince, oneMore, rateBetween, rateWith } from './recent-rate.ts'
import { asRandom, countAnswer, countRefusal } from './rejection-share.ts'

/** Of the rate that was refused. */
const SAFE_SHARE = 0.92
const ANSWERS_TO_COME_BACK = 10
const ANSWERS_FOR_A_REFUSAL = 140
const LEAST_ANSWERS = 65
const LEAST_HOLD_MS = 10_000
const LONGEST_HOLD_MS = 28_500
/** Many services count by the second: so long they may refuse once it is used up. At a high rate it is worth a try before. */
const SECOND_MS = 1000
const REST_INTERVALS = 20
/** A probe that got so much further than any before met with another limit. */
const ANOTHER_LIMIT = 1.5
const SURE_ANSWERS = 10
/** What is known of a limit grows old: from each failed probe to the next it is taken for higher. */
const AGEING = 1.01
/** A guess is raised by so much for every ten answers. */
const GUESS_STEP = 1.05
/** A rate that was refused is not much above what is kept up, or it says little. */
const NEAR = 1.6
/** A refusal is not explained by a rate of less than this share of what was kept up. */
const KEPT_UP_SHARE = 0.95
const UNEXPLAINED_THAT_TELL = 2
const ANSWERS_A_PLACE = 4
/** A closed service is tried every 15 s at the least. */
const SLOWEST_RATE = 1 / 15
const LONG_CLOSED_MS = 3000
const TELLING_ANSWERS = 15

/** How long the next request has to wait, in ms; 0 when it may start. */
export function waitBeforeStart(pace: Pace, now: number): number {
  return pace.rate === Infinity ? 0 : Math.max(0, pace.nextStart - now)
}

export function afterStart(pace: Pace, now: number): Pace {
  if (pace.rate === Infinity) return pace
  const interval = intervalOf(pace.rate)
  // A timer that came late is made up for, but only so far that no burst comes of it.
  return { ...pace, nextStart: Math.max(pace.nextStart, now - interval / 4) + interval }
}

/** The service answered, with whatever but a refusal. */
export function afterAnswer(before: Pace, start: Start, now: number): Pace {
  const { episode } = before
  const pace = {
    ...before,
    recent: oneMore(before.recent, now),
    debt: Math.max(0, before.debt - 1),
    calm: before.calm + 1,
    share: countAnswer(before.share),
    // An answer that was under way when refusals began belongs to what was before.
    episode: episode && start.at >= episode.since ? { ...episode, answers: episode.answers + 1 } : episode,
  }
  if (start.at < pace.changedAt) return pace
  const open = pace.closedSince === null ? pace : reopen(pace, start, now)
  if (open.probe !== null) return goOn(open, open.probe, start, now)
  if (open.refusedRate === Infinity) return widen(open)
  return isTimeToProbe(open, now) ? beginProbe({ ...open, episode: null }, now) : comeBack(open, start)
}

/**
 * The service refused the request: 429 or 503.
 *
 * @param pause what it asked for with `Retry-After`, in ms; else 0
 */
export function afterRefusal(before: Pace, start: Start, now: number, pause: number): Pace {
  const share = countRefusal(before.share)
  const episode = before.episode && { ...before.episode, refusals: before.episode.refusals + 1 }
  if (share.isRandom) return { ...before, share, episode }
  const pace = {
    ...before,
    share,
    // What refuses beyond chance is something new.
    episode: before.share.isRandom ? null : episode,
    debt: before.debt + ANSWERS_FOR_A_REFUSAL,
    calm: 0,
    closedUntil: Math.max(before.closedUntil, now + pause),
  }
  if (start.at < pace.changedAt) return pace
  if (pace.closedSince !== null) {
    const isBroken = before.closedUntil > pace.closedSince && start.at >= before.closedUntil
    return slowDown({ ...pace, isBroken: pace.isBroken || isBroken }, now, pause)
  }
  const refused = { ...pace, closedSince: now, isBroken: false, changedAt: now, steady: 0 }
  return refused.probe === null ? learn(refused, start, now) : failProbe(refused, refused.probe, start, now)
}

/** The request took too long, or the service is silent: fewer at once; how often they start is not what is wrong. */
export function afterStrain(pace: Pace, start: Pick<Start, 'at'>, now: number): Pace {
  if (start.at < pace.changedAt) return pace
  return { ...pace, places: halfOf(pace.places), steady: 0, changedAt: now }
}

/** Refused again with nothing answered between, a service is not asked too fast, it is closed: the limit is what it was. */
function slowDown(pace: Pace, now: number, pause: number): Pace {
  // A service that names pauses is tried after each second one.
  const slowest = pause === 0 ? SLOWEST_RATE : Math.max(SLOWEST_RATE, Math.min(pace.rate, 500 / pause))
  const rate = Math.max(slowest, pace.rate / 2)
  return { ...pace, rate, nextStart: now + intervalOf(rate), changedAt: now }
}

/** Lowers both bounds, unless the refusal shows that this is no use. */
function learn(pace: Pace, start: Start, now: number): Pace {
  const measured = start.waited ? pace.rate : Math.min(pace.rate, rateWith(pace.recent, start.at, now))
  const refusedRate = Math.max(SLOWEST_LIMIT, measured)
  const episode = pace.episode ?? { since: now, answers: 0, refusals: 0, keptUp: 0, unexplained: 0 }
  const { keptUp } = episode
  const unexplained = refusedRate < keptUp * KEPT_UP_SHARE ? episode.unexplained + 1 : 0
  if (unexplained >= UNEXPLAINED_THAT_TELL) return liveWith(pace, episode, now)
  const rate = Math.max(SLOWEST_RATE, refusedRate / 2, keptUp / 2)
  return {
    ...pace,
    places: halfOf(pace.places),
    rate,
    nextStart: now + intervalOf(rate),
    refusedRate,
    isConfirmed: start.waited,
    isLearning: true,
    episode: { ...episode, unexplained },
  }
}

/** The refusals are random: the service is asked faster until something else holds the requests back. */
function liveWith(pace: Pace, { answers, refusals }: Episode, now: number): Pace {
  const share = asRandom(pace.share, refusals / (answers + refusals))
  return beginProbe({ ...pace, share, episode: null, closedSince: null, probed: 0, debt: 0 }, now)
}

/** The first answer after refusals. */
function reopen(pace: Pace, start: Start, now: number): Pace {
  const closedMs = pace.closedUntil - (pace.closedSince ?? now)
  const isUnexplained = pace.isBroken && pace.episode !== null && pace.episode.answers > 0
  const episode = isUnexplained ? oneUnexplained(pace.episode) : pace.episode
  const open = { ...pace, closedSince: null, recent: noneSince(now), changedAt: now, episode }
  if (episode !== null && episode.unexplained >= UNEXPLAINED_THAT_TELL) return liveWith(open, episode, now)
  if (closedMs >= LONG_CLOSED_MS) {
    const rate = Math.max(pace.rate, Math.min(FREE_RATE, pace.refusedRate) / 2)
    return beginProbe({ ...open, rate }, now)
  }
  const isTelling = pace.isLearning && episode !== null && episode.answers >= TELLING_ANSWERS
  const goodput = isTelling ? rateBetween(episode.since, start.at, episode.answers) : null
  const isFar = goodput !== null && pace.refusedRate > goodput * NEAR
  const refusedRate = isFar ? goodput : pace.refusedRate
  const rate = Math.min(refusedRate * SAFE_SHARE, Math.max(pace.rate, refusedRate / 2))
  return {
    ...open,
    rate,
    refusedRate,
    isConfirmed: pace.isConfirmed && !isFar,
    nextStart: now + intervalOf(rate),
    episode: episode && { ...episode, keptUp: Math.max(episode.keptUp, goodput ?? 0) },
  }
}

function oneUnexplained(episode: Episode): Episode {
  return { ...episode, unexplained: episode.unexplained + 1 }
}

/** Towards the rate that is held. */
function comeBack(pace: Pace, start: Start): Pace {
  const safe = pace.refusedRate * SAFE_SHARE
  if (pace.rate >= safe) {
    const isGuess = !pace.isConfirmed && start.waited && pace.calm % ANSWERS_TO_COME_BACK === 0
    return isGuess ? { ...pace, refusedRate: pace.refusedRate * GUESS_STEP } : pace
  }
  return { ...pace, rate: Math.min(safe, pace.rate + safe / ANSWERS_TO_COME_BACK) }
}

/** One more at once, the more rarely the more there are. */
function widen(pace: Pace): Pace {
  if (pace.places === pace.most) return pace
  const steady = pace.steady + 1
  return steady < ANSWERS_A_PLACE * pace.places
    ? { ...pace, steady }
    : { ...pace, steady: 0, places: pace.places + 1 }
}

/** A hold that was kept to its end shows that the limit explains the refusals. */
function isTimeToProbe({ calm, debt, closedUntil }: Pace, now: number): boolean {
  if (calm < LEAST_ANSWERS) return false
  return now - closedUntil >= (debt === 0 ? LEAST_HOLD_MS : LONGEST_HOLD_MS)
}

/** The limit still holds. One that the probe met much later than any before is another, and learned anew. */
function failProbe(pace: Pace, probe: Probe, start: Start, now: number): Pace {
  const isAnother = pace.probed > 0 && probe.answers > Math.max(SURE_ANSWERS, pace.probed) * ANOTHER_LIMIT
  const failed = { ...pace, probe: null, isLearning: false, probed: Math.max(pace.probed, probe.answers) }
  if (isAnother)
    return learn({ ...failed, places: probe.provenPlaces * 2, episode: null, probed: 0 }, start, now)
  const { rate, provenPlaces: places } = probe
  const refusedRate = pace.refusedRate * AGEING
  const restMs = Math.max(intervalOf(rate), Math.min(SECOND_MS, REST_INTERVALS * intervalOf(rate)))
  return { ...failed, places, rate, refusedRate, nextStart: now + restMs }
}

function halfOf(places: number): number {
  return Math.max(1, Math.floor(places / 2))
}
