/** What is known of a service's pace (pace.ts). */
import { noneSince, type RecentAnswers } from './recent-rate.ts'
import { noRefusals, type RefusalShare } from './rejection-share.ts'

/** A search for a limit that is no longer there (probe.ts). */
export interface Probe {
  /** To go back to when it fails. */
  readonly rate: number
  readonly places: number
  /** The most at once that were asked for a whole step and answered. */
  readonly provenPlaces: number
  /** Answers since it began, those of this step, and those of them whose request had to wait. */
  readonly answers: number
  readonly step: number
  readonly waited: number
  /** Nothing holds the requests back any more: it is over after as many answers again. */
  readonly isFree: boolean
}

export interface Pace {
  /** The most requests at once, ever and now. */
  readonly most: number
  readonly places: number
  /** Starts a second; infinite as long as there is no least interval. */
  readonly rate: number
  readonly nextStart: number
  /** The lowest rate known to be too much; infinite when none is. */
  readonly refusedRate: number
  /** That rate was kept to when it was refused; else it is a guess from below, and more is tried by and by. */
  readonly isConfirmed: boolean
  /** Requests started before this moment know nothing of the present bounds: their refusals do not lower them again. */
  readonly changedAt: number
  readonly probe: Probe | null
  /** The most answers that a probe got before it was refused. */
  readonly probed: number
  /** Since when the service has refused all; null when it has not. */
  readonly closedSince: number | null
  /** Until when it is known to have refused, or to have asked for patience. */
  readonly closedUntil: number
  /** It refused again after the pause that it had named. */
  readonly isBroken: boolean
  /** It closed while the limit was being learned: what it answered since refusals began tells the limit. */
  readonly isLearning: boolean
  /** Answers that must come before a probe; those since the last refusal, and when that was. */
  readonly debt: number
  readonly calm: number
  /** Answers since the bound on requests at once has changed. */
  readonly steady: number
  readonly recent: RecentAnswers
  /** What came since refusals began; null before. */
  readonly episode: Episode | null
  readonly share: RefusalShare
}

export interface Episode {
  readonly since: number
  readonly answers: number
  readonly refusals: number
  /** The most answers a second, from then to when the service answered again; 0 while they are too few to tell. */
  readonly keptUp: number
  /** Refusals, one after the other, that came though the rate was kept up before. */
  readonly unexplained: number
}

/** When a request was started, and whether the pace made it wait. */
export interface Start {
  readonly at: number
  readonly waited: boolean
}

export function firstPace(most: number, now: number): Pace {
  return {
    most,
    places: most,
    rate: Infinity,
    nextStart: now,
    refusedRate: Infinity,
    isConfirmed: false,
    changedAt: now,
    probe: null,
    probed: 0,
    closedSince: null,
    closedUntil: now,
    isBroken: false,
    isLearning: false,
    debt: 0,
    calm: 0,
    steady: 0,
    recent: noneSince(now),
    episode: null,
    share: noRefusals,
  }
}
