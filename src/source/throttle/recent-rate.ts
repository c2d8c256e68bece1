/** The last 50 to 100 responses: enough to measure a rate. */
export interface RecentResponses {
  readonly since: number
  readonly responses: number
  readonly earlierSince: number
  readonly earlierResponses: number
}

const WINDOW_RESPONSES = 50

export function noResponsesSince(now: number): RecentResponses {
  return { since: now, responses: 0, earlierSince: now, earlierResponses: 0 }
}

export function addResponse(recent: RecentResponses, now: number): RecentResponses {
  if (recent.responses < WINDOW_RESPONSES) return { ...recent, responses: recent.responses + 1 }
  return { since: now, responses: 1, earlierSince: recent.since, earlierResponses: recent.responses }
}

/**
 * The rate of the last responses with the request that was rejected now. It is at least the rate of that one request:
 * the service may have been idle before.
 *
 * @param startedAt the start of the rejected request
 */
export function rateIncluding(recent: RecentResponses, startedAt: number, now: number): number {
  const average = rateBetween(recent.earlierSince, now, recent.responses + recent.earlierResponses + 1)
  return Math.max(average, rateBetween(startedAt, now, 1))
}

/** Responses per second. */
export function rateBetween(from: number, to: number, responses: number): number {
  return responses / (Math.max(1, to - from) / 1000)
}
