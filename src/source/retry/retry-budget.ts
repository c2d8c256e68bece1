/** The budget of retries: a service in trouble is not asked much more than it would be in good health. */

const LEAST_RETRIES = 3
const SHARE_OF_REQUESTS = 0.1

export interface Spent {
  /** Every request sent, retries and refused ones too. */
  readonly requests: number
  readonly retries: number
  /** Refused requests: asking them again costs no retry, and earns none. */
  readonly refused: number
}

/** Whether a run that has sent so many requests may send one more retry. */
export function hasRetryLeft({ requests, retries, refused }: Spent): boolean {
  return retries < Math.max(LEAST_RETRIES, Math.floor((requests - refused) * SHARE_OF_REQUESTS))
}
