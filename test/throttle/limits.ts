/** Limits that a service may have, in simulated time. */

export interface Asked {
  readonly at: number
  readonly path: string
  /** Requests that are being answered. */
  readonly open: number
}

/** Null for a request that is allowed, else in how many ms one will be. */
export type Limit = (asked: Asked) => number | null

export const none: Limit = () => null

/** Tokens come at the rate and are kept up to a small number. */
export function tokenBucket(perSecond: number, most = 5): Limit {
  let tokens = most
  let filledAt = 0
  return ({ at }) => {
    tokens = Math.min(most, tokens + ((at - filledAt) / 1000) * perSecond)
    filledAt = at
    if (tokens < 1) return ((1 - tokens) / perSecond) * 1000
    tokens -= 1
    return null
  }
}

/** So many in each window of the service's clock, which begins anywhere. */
export function fixedWindow(perSecond: number, windowMs = 1000, offset = 370): Limit {
  let current = -1
  let used = 0
  return ({ at }) => {
    const window = Math.floor((at + offset) / windowMs)
    if (window !== current) used = 0
    current = window
    if (used >= (perSecond * windowMs) / 1000) return (window + 1) * windowMs - offset - at
    used += 1
    return null
  }
}

/** So many in any window. */
export function slidingWindow(perSecond: number, windowMs = 1000): Limit {
  const answered: number[] = []
  return ({ at }) => {
    while ((answered[0] ?? at) <= at - windowMs) answered.shift()
    const [oldest] = answered
    if (oldest !== undefined && answered.length >= (perSecond * windowMs) / 1000)
      return oldest + windowMs - at
    answered.push(at)
    return null
  }
}

/** So many at once; nobody knows when the next one may come. */
export function concurrency(most: number): Limit {
  return ({ open }) => (open < most ? null : 0)
}

/** A share of all requests, whatever they ask for and however often. */
export function randomly(share: number, random: () => number): Limit {
  return () => (random() < share ? 1000 : null)
}

/** One path in `every` was asked by somebody else just now: not before `ms` after the first request. */
export function perPath(every: number, ms: number): Limit {
  const openAt = new Map<string, number>()
  let paths = 0
  return ({ at, path }) => {
    const known = openAt.get(path)
    const opens = known ?? ((paths += 1) % every === 0 ? at + ms : at)
    if (known === undefined) openAt.set(path, opens)
    return opens > at ? opens - at : null
  }
}

/** These paths are refused for good. */
export function always(paths: readonly string[], ms: number): Limit {
  return ({ path }) => (paths.includes(path) ? ms : null)
}

/** Another limit from a moment on. */
export function change(first: Limit, fromMs: number, then: Limit): Limit {
  return (asked) => (asked.at < fromMs ? first(asked) : then(asked))
}
