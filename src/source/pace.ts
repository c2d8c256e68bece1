/**
 * How fast a service is asked, learned from its answers: a bound on the requests at once and, once it refused one,
 * a least interval between their starts. Pure: a pace and what happened in, a pace out; times are ms on one clock.
 *
 * A refusal halves both. The rate then comes back quickly to nine tenths of the rate that was refused, and stays
 * there until every refusal is paid for by 200 answers; only then is more tried, in small steps that grow while they
 * succeed. So the refused share stays below 1 %, whatever the service counts (test/unit/pace.test.ts shows it), and a
 * trouble that has passed, or a limit that was raised, is forgotten: above 1,000 requests a second there is none.
 */

export interface Pace {
  /** The most requests at once, ever and now. */
  readonly most: number
  readonly places: number
  /** Starts a second; infinite as long as there is no least interval. */
  readonly rate: number
  readonly nextStart: number
  /** The lowest rate known to be too much; infinite when none is. */
  readonly refusedRate: number
  /** That rate was not kept to by waiting, but measured: a burst that the service allowed may have made it too high. */
  readonly isMeasured: boolean
  /** Requests started before this moment know nothing of the present pace: their refusals do not halve it again. */
  readonly halvedAt: number
  /** Since when the service has refused all; null when it has not. */
  readonly closedSince: number | null
  /** Until when it is known to have refused, or to have asked for patience. */
  readonly closedUntil: number
  /** Answers that must come before more is tried. */
  readonly debt: number
  /** Answers at this rate, since when, and by how much it is raised next. */
  readonly calm: number
  readonly raisedAt: number
  readonly step: number
  /** Answers since the bound on requests at once has changed. */
  readonly steady: number
  readonly recent: Recent
  /** Since when the service answers, and how often it has. */
  readonly openSince: number
  readonly answers: number
}

/** The last answers, between 50 and 100 of them: enough to tell a rate. */
interface Recent {
  readonly since: number
  readonly answers: number
  readonly earlierSince: number
  readonly earlierAnswers: number
}

/** When a request was started, and whether the pace made it wait. */
export interface Start {
  readonly at: number
  readonly waited: boolean
}

/** Of the rate that was refused. */
const SAFE_SHARE = 0.9
const ANSWERS_TO_COME_BACK = 10
const ANSWERS_FOR_A_REFUSAL = 200
const MOST_DEBT = 800
const FIRST_STEP = 0.03
const LARGEST_STEP = 0.12
const ANSWERS_A_STEP = 30
/** Many services count by the second: a shorter calm says nothing. */
const LEAST_STEP_MS = 1000
/** Beyond a rate that was refused by so much, that refusal says nothing any more. */
const OUTGROWN = 1.1
const ANSWERS_A_PLACE = 4
/** A closed service is tried once a minute at the least. */
const SLOWEST_RATE = 1 / 60
/** A slower limit is not believed: a service that refuses now and then whatever the rate would end in a standstill. */
const SLOWEST_LIMIT = 0.1
/** Timers count in ms. */
const FREE_RATE = 1000
const RECENT_ANSWERS = 50
const TELLING_ANSWERS = 10

export function firstPace(most: number, now: number): Pace {
  return {
    most,
    places: most,
    rate: Infinity,
    nextStart: now,
    refusedRate: Infinity,
    isMeasured: false,
    halvedAt: now,
    closedSince: null,
    closedUntil: now,
    debt: 0,
    calm: 0,
    raisedAt: now,
    step: FIRST_STEP,
    steady: 0,
    recent: noneSince(now),
    openSince: now,
    answers: 0,
  }
}

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
  const pace = {
    ...before,
    recent: count(before.recent, now),
    openSince: before.answers === 0 ? start.at : before.openSince,
    answers: before.answers + 1,
    debt: Math.max(0, before.debt - 1),
  }
  if (start.at < pace.halvedAt) return pace
  return quicken(widen(pace.closedSince === null ? pace : reopen(pace, now)), start, now)
}

/**
 * The service refused the request: 429 or 503.
 *
 * @param pause what it asked for with `Retry-After`, in ms; else 0
 */
export function afterRefusal(before: Pace, start: Start, now: number, pause: number): Pace {
  const debt = Math.min(MOST_DEBT, before.debt + ANSWERS_FOR_A_REFUSAL)
  const pace = { ...before, debt, closedUntil: Math.max(before.closedUntil, now + pause) }
  if (start.at < pace.halvedAt) return pace
  // Refused again with nothing answered between, a service is not asked too fast, it is closed: it is tried ever
  // more rarely, and the rate that was too much is still the one that it was.
  const isClosed = pace.closedSince !== null
  const tooMuch = start.waited ? pace.rate : Math.min(pace.rate, rateAt(pace.recent, start, now))
  const refused = isClosed ? pace.rate : Math.max(SLOWEST_LIMIT, tooMuch)
  const rate = Math.max(SLOWEST_RATE, refused / 2)
  return {
    ...halvePlaces(pace, now),
    rate,
    nextStart: now + intervalOf(rate),
    refusedRate: isClosed ? pace.refusedRate : refused,
    isMeasured: isClosed ? pace.isMeasured : !start.waited,
    closedSince: pace.closedSince ?? now,
  }
}

/** The request took too long, or the service is silent: fewer at once; how often they start is not what is wrong. */
export function afterStrain(pace: Pace, start: Pick<Start, 'at'>, now: number): Pace {
  return start.at < pace.halvedAt ? pace : halvePlaces(pace, now)
}

function halvePlaces(pace: Pace, now: number): Pace {
  const places = Math.max(1, Math.floor(pace.places / 2))
  return { ...pace, places, steady: 0, halvedAt: now, raisedAt: now, calm: 0, step: FIRST_STEP }
}

/** The first answer after refusals. */
function reopen(pace: Pace, now: number): Pace {
  // A window that was used up in a moment stays shut for long: together they tell what it allows. A few answers tell
  // nothing, for the service may have been left alone between them.
  const allowed = rateBetween(pace.openSince, pace.closedUntil, pace.answers)
  const isTelling = pace.isMeasured && pace.answers >= TELLING_ANSWERS
  const refusedRate = isTelling ? Math.min(pace.refusedRate, allowed) : pace.refusedRate
  const rate = Math.max(pace.rate, refusedRate / 2)
  return {
    ...pace,
    rate,
    refusedRate,
    closedSince: null,
    nextStart: now + intervalOf(rate),
    raisedAt: now,
    recent: noneSince(now),
    openSince: now,
    answers: 0,
  }
}

/** One more at once, the more rarely the more there are. */
function widen(pace: Pace): Pace {
  if (pace.places === pace.most) return pace
  const steady = pace.steady + 1
  return steady < ANSWERS_A_PLACE * pace.places
    ? { ...pace, steady }
    : { ...pace, steady: 0, places: pace.places + 1 }
}

function quicken(pace: Pace, start: Start, now: number): Pace {
  if (pace.rate === Infinity) return pace
  const safe = pace.refusedRate === Infinity ? 0 : pace.refusedRate * SAFE_SHARE
  if (pace.rate < safe) {
    return { ...pace, rate: Math.min(safe, pace.rate + safe / ANSWERS_TO_COME_BACK), raisedAt: now }
  }
  // A request that did not have to wait, or that began at another rate, proves nothing about this one.
  if (!start.waited || start.at < pace.raisedAt) return pace
  const calm = pace.calm + 1
  const isTooEarly = calm < ANSWERS_A_STEP || pace.debt > 0 || now - pace.raisedAt < LEAST_STEP_MS
  return isTooEarly ? { ...pace, calm } : raise(pace, now)
}

function raise(pace: Pace, now: number): Pace {
  const rate = pace.rate * (1 + pace.step)
  if (rate > FREE_RATE) return { ...pace, rate: Infinity, refusedRate: Infinity, calm: 0, step: FIRST_STEP }
  const isOutgrown = rate > pace.refusedRate * OUTGROWN || pace.refusedRate === Infinity
  return {
    ...pace,
    rate,
    raisedAt: now,
    calm: 0,
    refusedRate: isOutgrown ? Infinity : pace.refusedRate,
    step: isOutgrown ? Math.min(LARGEST_STEP, pace.step * 2) : pace.step,
  }
}

/** In ms, from starts a second. */
function intervalOf(rate: number): number {
  return 1000 / rate
}

function noneSince(now: number): Recent {
  return { since: now, answers: 0, earlierSince: now, earlierAnswers: 0 }
}

function count(recent: Recent, now: number): Recent {
  if (recent.answers < RECENT_ANSWERS) return { ...recent, answers: recent.answers + 1 }
  return { since: now, answers: 1, earlierSince: recent.since, earlierAnswers: recent.answers }
}

/**
 * Of the last answers, the one that was refused among them; and at least as fast as this one would be after another,
 * for the service may have been left alone before.
 */
function rateAt(recent: Recent, start: Start, now: number): number {
  const average = rateBetween(recent.earlierSince, now, recent.answers + recent.earlierAnswers + 1)
  return Math.max(average, rateBetween(start.at, now, 1))
}

/** A second. */
function rateBetween(from: number, to: number, answers: number): number {
  return answers / (Math.max(1, to - from) / 1000)
}
