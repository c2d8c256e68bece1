import { createRandom } from '../../../src/commands/demo/account/random.ts'
import type { Random } from '../../../src/commands/demo/account/random.ts'

/** An event of an account that lives, in milliseconds since the simulated time began. */
export interface LivingEvent {
  readonly id: string
  /** When it takes place. */
  readonly at: number
  /** When it is first listed. */
  readonly listedFrom: number
  /** When its responses change, ascending; from the beginning of the simulated time on. */
  readonly changes: readonly number[]
}

export interface LifeSize {
  readonly events: number
  readonly days: number
}

export const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Events that are to come or not longer than 30 days past: of a hundred so many. */
const ACTIVE_SHARE = 0.05
const ACTIVE_FOR = 30 * DAY
/** An event is listed so long before it takes place. */
const LISTED_BEFORE = 60 * DAY
/** The oldest event took place so long ago. */
const OLDEST = 3 * 365 * DAY
/** Changes are drawn hour by hour. */
const STEP = HOUR

/**
 * An account in which events come and go: active ones follow one another evenly, so that their number stays; the
 * others are up to three years old.
 */
export function liveAccount({ events, days }: LifeSize, seed = 'life'): readonly LivingEvent[] {
  const random = createRandom(seed)
  const active = Math.max(1, Math.round(events * ACTIVE_SHARE))
  const between = (ACTIVE_FOR + LISTED_BEFORE) / active
  const coming = Math.ceil((days * DAY) / between)
  const times = [
    ...Array.from({ length: events - active }, () => -random.integer(ACTIVE_FOR + DAY, OLDEST)),
    ...Array.from({ length: active + coming }, (_, place) =>
      Math.floor(-ACTIVE_FOR + (place + 0.5) * between),
    ),
  ]
  return times
    .map((at) => Math.floor(at / 1000) * 1000)
    .map((at, place) => {
      const listedFrom = at - LISTED_BEFORE
      const changes = changesOf(at, Math.max(0, listedFrom), days * DAY, random.fork(`changes ${place}`))
      return { id: `event-${String(place).padStart(5, '0')}`, at, listedFrom, changes }
    })
}

function changesOf(at: number, from: number, until: number, random: Random): readonly number[] {
  const changes: number[] = []
  for (let hour = from; hour < until; hour += STEP) {
    if (random.chance(perDay(at - hour) * (STEP / DAY))) changes.push(hour + random.integer(0, STEP - 1))
  }
  return changes
}

/** Changes a day of an event that takes place so long from now: most just before it, few after it, hardly any later. */
function perDay(ahead: number): number {
  const days = ahead / DAY
  if (days > 30) return 0.3
  if (days > 7) return 1
  if (days > 1) return 4
  if (days > -1) return 12
  if (days > -7) return 1
  if (days > -30) return 0.1
  return days > -180 ? 0.005 : 0.0005
}
