/** The state of the rate limit (rate-limit.ts). */
import { noResponsesSince, type RecentResponses } from './recent-rate.ts'
import { noRejections, type RejectionShare } from './rejection-share.ts'

/** A search for a limit that is no longer there (probe.ts). */
export interface Probe {
  /** To go back to when it fails. */
  readonly rate: number
  readonly concurrency: number
  /** The most at once that were asked for a whole step and answered. */
  readonly provenConcurrency: number
  /** Answers since it began, those of this step, and those of them whose request had to wait. */
  readonly responses: number
  readonly step: number
  readonly delayed: number
  /** Nothing holds the requests back any more: it is over after as many answers again. */
  readonly isFree: boolean
}

export interface RateLimitState {
  /** The most requests at once, ever and now. */
  readonly maxConcurrency: number
  readonly concurrency: number
  /** Starts a second; infinite as long as there is no least interval. */
  readonly rate: number
  readonly nextStart: number
  /** The lowest rate known to be too much; infinite when none is. */
  readonly rejectedRate: number
  /** That rate was kept to when it was rejected; else it is a guess from below, and more is tried by and by. */
  readonly isConfirmed: boolean
  /** Requests started before this moment know nothing of the present bounds: their rejections do not lower them again. */
  readonly changedAt: number
  readonly probe: Probe | null
  /** The most answers that a probe got before it was rejected. */
  readonly longestProbe: number
  /** Since when the service has rejected all; null when it has not. */
  readonly rejectingSince: number | null
  /** Until when it is known to have rejected, or to have asked for patience. */
  readonly rejectingUntil: number
  /** It rejected again after the pause that it had named. */
  readonly isPauseTooShort: boolean
  /** It closed while the limit was being learned: what it answered since rejections began tells the limit. */
  readonly isLearning: boolean
  /** Answers that must come before a probe; those since the last rejection, and when that was. */
  readonly responsesOwed: number
  readonly responsesSinceRejection: number
  /** Answers since the bound on requests at once has changed. */
  readonly responsesAtConcurrency: number
  readonly recent: RecentResponses
  /** What came since rejections began; null before. */
  readonly episode: RejectionEpisode | null
  readonly share: RejectionShare
}

export interface RejectionEpisode {
  readonly since: number
  readonly responses: number
  readonly rejections: number
  /** The most answers a second, from then to when the service answered again; 0 while they are too few to tell. */
  readonly sustainedRate: number
  /** Rejections, one after the other, that came though the rate was kept up before. */
  readonly unexplained: number
}

/** When a request was started, and whether the pace made it wait. */
export interface RequestStart {
  readonly at: number
  readonly wasDelayed: boolean
}

export function initialState(maxConcurrency: number, now: number): RateLimitState {
  return {
    maxConcurrency,
    concurrency: maxConcurrency,
    rate: Infinity,
    nextStart: now,
    rejectedRate: Infinity,
    isConfirmed: false,
    changedAt: now,
    probe: null,
    longestProbe: 0,
    rejectingSince: null,
    rejectingUntil: now,
    isPauseTooShort: false,
    isLearning: false,
    responsesOwed: 0,
    responsesSinceRejection: 0,
    responsesAtConcurrency: 0,
    recent: noResponsesSince(now),
    episode: null,
    share: noRejections,
  }
}
