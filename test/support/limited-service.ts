/** A service in virtual time that allows a number of requests a second and refuses the rest, and a client that keeps to a pace. */
import {
  afterAnswer,
  afterRefusal,
  afterStart,
  firstPace,
  type Pace,
  waitBeforeStart,
} from '../../src/source/pace.ts'

/** Whether a request that arrives now is allowed, or in how many ms one will be. */
export type Limit = (now: number) => { readonly allowed: boolean; readonly inMs: number }

const ok = { allowed: true, inMs: 0 }

/** Tokens come at the rate and are kept up to a small number. */
export function tokenBucket(perSecond: number, most = 5): Limit {
  let tokens = most
  let filledAt = 0
  return (now) => {
    tokens = Math.min(most, tokens + ((now - filledAt) / 1000) * perSecond)
    filledAt = now
    if (tokens < 1) return { allowed: false, inMs: ((1 - tokens) / perSecond) * 1000 }
    tokens -= 1
    return ok
  }
}

/** So many in each second of the service's clock, which begins anywhere. */
export function fixedWindow(perSecond: number, windowMs = 1000, offset = 370): Limit {
  let current = -1
  let used = 0
  return (now) => {
    const window = Math.floor((now + offset) / windowMs)
    if (window !== current) used = 0
    current = window
    if (used >= (perSecond * windowMs) / 1000) {
      return { allowed: false, inMs: (window + 1) * windowMs - offset - now }
    }
    used += 1
    return ok
  }
}

/** So many in any second. */
export function slidingWindow(perSecond: number, windowMs = 1000): Limit {
  const answered: number[] = []
  return (now) => {
    while ((answered[0] ?? now) <= now - windowMs) answered.shift()
    const [oldest] = answered
    if (oldest !== undefined && answered.length >= (perSecond * windowMs) / 1000) {
      return { allowed: false, inMs: oldest + windowMs - now }
    }
    answered.push(now)
    return ok
  }
}

export interface Scene {
  readonly limit: Limit
  /** From the least to the most, there and back, in ms. */
  readonly latency: readonly [number, number]
  /** Whether refusals carry `Retry-After`, in whole seconds. */
  readonly tellsWhen: boolean
  readonly requests: number
  readonly seed: number
  /** Called when so many requests have arrived. */
  readonly arrived?: (count: number) => void
}

export interface Played {
  /** Every request as it arrived. */
  readonly arrivals: readonly { readonly at: number; readonly allowed: boolean }[]
  /** The most refusals that one request met with. */
  readonly mostRefusals: number
  readonly pace: Pace
}

const REQUESTS_AT_ONCE = 8

/** Reads so many lists, as the source and mirror-due.ts do it: sixteen at work, each refused one tried again. */
export function play(scene: Scene): Played {
  const random = randomFrom(scene.seed)
  const timers: { readonly at: number; readonly order: number; readonly run: () => void }[] = []
  const arrivals: { at: number; allowed: boolean }[] = []
  const queue: (() => void)[] = []
  let pace = firstPace(REQUESTS_AT_ONCE, 0)
  let now = 0
  let order = 0
  let open = 0
  let gate = 0
  let left = scene.requests
  let mostRefusals = 0

  const after = (ms: number, run: () => void): void => {
    const timer = { at: now + ms, order: (order += 1), run }
    let place = timers.length
    while (place > 0 && (timers[place - 1]?.at ?? 0) > timer.at) place -= 1
    timers.splice(place, 0, timer)
  }
  const admit = (): void => {
    while (open < pace.places && queue.length > 0) {
      open += 1
      queue.shift()?.()
    }
  }
  const next = (): void => {
    if (left === 0) return
    left -= 1
    ask(0)
  }
  const ask = (refusals: number): void => {
    queue.push(() => start(refusals, false))
    admit()
  }
  const start = (refusals: number, waited: boolean): void => {
    const wait = waitBeforeStart(pace, now)
    if (wait > 0 || gate > now) return after(Math.max(wait, gate - now), () => start(refusals, true))
    pace = afterStart(pace, now)
    const begun = { at: now, waited }
    const [least, most] = scene.latency
    const halfWay = (least + random() * (most - least)) / 2
    after(halfWay, () => {
      const { allowed, inMs } = scene.limit(now)
      arrivals.push({ at: now, allowed })
      scene.arrived?.(arrivals.length)
      after(halfWay, () => {
        open -= 1
        const pause = scene.tellsWhen ? Math.ceil(inMs / 1000) * 1000 : 0
        pace = allowed ? afterAnswer(pace, begun, now) : afterRefusal(pace, begun, now, pause)
        if (allowed) next()
        else {
          mostRefusals = Math.max(mostRefusals, refusals + 1)
          gate = Math.max(gate, now + pause)
          after(pause + random() * 250, () => ask(refusals + 1))
        }
        admit()
      })
    })
  }
  for (let at = 0; at < 2 * REQUESTS_AT_ONCE; at += 1) next()
  for (let timer = timers.shift(); timer !== undefined; timer = timers.shift()) {
    now = timer.at
    timer.run()
  }
  return { arrivals, mostRefusals, pace }
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
