/** The state of the rate limit (rate-limit.ts). */
import { noResponsesSince, type RecentResponses } from './recent-rate.ts'
import { noRejections, type RejectionShare } from './rejection-share.ts'

/** A test whether the limit still applies (probe.ts). */
export interface Probe {
  /** The bounds to return to when the probe fails. */
  readonly rate: number
  readonly concurrency: number
  /** The highest concurrency that passed a whole step without a rejection. */
  readonly provenConcurrency: number
  /** Responses of the probe, responses of this step, and those of the step whose request was delayed. */
  readonly responses: number
  readonly step: number
  readonly delayed: number
  /** Neither bound limits the requests any more; one last step follows. */
  readonly isFree: boolean
}

export interface RateLimitState {
  /** The configured maximum of concurrent requests, and the current bound. */
  readonly maxConcurrency: number
  readonly concurrency: number
  /** Starts per second; infinite without a rate limit. */
  readonly rate: number
  readonly nextStart: number
  /** The lowest rate that was rejected; infinite when none was. */
  readonly rejectedRate: number
  /** Whether the throttle kept to that rate when it was rejected; else the rate is a low guess, and is raised slowly. */
  readonly isConfirmed: boolean
  /** When the bounds changed. Rejections of requests started before do not lower the bounds again. */
  readonly changedAt: number
  readonly probe: Probe | null
  /** The most responses that a failed probe got. */
  readonly longestProbe: number
  /** Since when the service has rejected every request; null when it does not. */
  readonly rejectingSince: number | null
  /** The last known end of the rejections or of a named pause. */
  readonly rejectingUntil: number
  /** The service rejected again after the pause that it had named. */
  readonly isPauseTooShort: boolean
  /** The limit is being learned: the responses since the first rejection measure it. */
  readonly isLearning: boolean
  /** Responses that are missing before the next probe. */
  readonly responsesOwed: number
  readonly responsesSinceRejection: number
  /** Responses since the bound on concurrent requests changed. */
  readonly responsesAtConcurrency: number
  readonly recent: RecentResponses
  /** Counts since the first rejection; null before it. */
  readonly episode: RejectionEpisode | null
  readonly share: RejectionShare
}

export interface RejectionEpisode {
  readonly since: number
  readonly responses: number
  readonly rejections: number
  /** The highest measured rate of responses per second; 0 until there are enough of them. */
  readonly sustainedRate: number
  /** Consecutive rejections at a rate that was sustained before. */
  readonly unexplained: number
}

/** When a request started, and whether the throttle delayed it. */
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
