/** The budget of retries: a service in trouble is not asked much more than it would be in good health. */

const LEAST_RETRIES = 3
const SHARE_OF_REQUESTS = 0.1

/** Whether a run that has sent so many requests (retries counted too) may send one more retry. */
export function hasRetryLeft(counts: { readonly requests: number; readonly retries: number }): boolean {
  return counts.retries < Math.max(LEAST_RETRIES, Math.floor(counts.requests * SHARE_OF_REQUESTS))
}
