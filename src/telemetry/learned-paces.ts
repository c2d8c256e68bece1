/** The limits on requests that runs have learned, by account. */

export interface Pace {
  readonly requests_at_once: number
  /** Null without a rate limit. */
  readonly requests_per_second: number | null
}

/** Of a run under way the current one, afterwards that of its end. */
export const learnedPaces = new Map<string, () => Pace>()

/** Until it is disposed of, `read` gives the pace of the account. */
export function watchPace(account: string, read: () => Pace): Disposable {
  learnedPaces.set(account, read)
  return {
    [Symbol.dispose]: () => {
      if (learnedPaces.get(account) !== read) return
      // Not the run's own function, which would keep all that the run had in memory.
      const last = read()
      learnedPaces.set(account, () => last)
    },
  }
}
