/** The last answers, between 50 and 100 of them: enough to tell a rate. */
export interface RecentAnswers {
  readonly since: number
  readonly answers: number
  readonly earlierSince: number
  readonly earlierAnswers: number
}

const RECENT_ANSWERS = 50

export function noneSince(now: number): RecentAnswers {
  return { since: now, answers: 0, earlierSince: now, earlierAnswers: 0 }
}

export function oneMore(recent: RecentAnswers, now: number): RecentAnswers {
  if (recent.answers < RECENT_ANSWERS) return { ...recent, answers: recent.answers + 1 }
  return { since: now, answers: 1, earlierSince: recent.since, earlierAnswers: recent.answers }
}

/**
 * The rate of the last answers and of the request that was refused now; and at least as fast as this one would be
 * after another, for the service may have been left alone before.
 *
 * @param startedAt when the refused request was started
 */
export function rateWith(recent: RecentAnswers, startedAt: number, now: number): number {
  const average = rateBetween(recent.earlierSince, now, recent.answers + recent.earlierAnswers + 1)
  return Math.max(average, rateBetween(startedAt, now, 1))
}

/** A second. */
export function rateBetween(from: number, to: number, answers: number): number {
  return answers / (Math.max(1, to - from) / 1000)
}
