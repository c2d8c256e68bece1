/** The budget of retries: a service in trouble is not asked much more than it would be in good health. */

const MIN_RETRIES = 3
const SHARE_OF_REQUESTS = 0.1

export interface RetryUsage {
  /** Every request sent, retries and refused ones too. */
  readonly requests: number
  readonly retries: number
  /** Refused requests: asking them again costs no retry, and earns none. */
  readonly rejected: number
}

/** Whether a run that has sent so many requests may send one more retry. */
export function hasRetryBudget({ requests, retries, rejected: refused }: RetryUsage): boolean {
  return retries < Math.max(MIN_RETRIES, Math.floor((requests - refused) * SHARE_OF_REQUESTS))
}
