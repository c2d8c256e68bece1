/** Which events a `sync` must read (design, section 5.4), and when an event is due again. */
import { isSame } from './mirror.ts'
import type { Unit } from './mirror.ts'
import type { EventRow } from '../account/items.ts'

const HOUR = 3600
const WEEK = 7 * 24 * HOUR

/** Without a time, or not over for longer than 30 days. The simulation's events are decades away from now. */
export function isActive({ event_at }: EventRow): boolean {
  return event_at === null || event_at > '2050'
}

export function isDue(unit: Unit, record: EventRow, now: number): boolean {
  const { facts } = unit
  if (facts === null || facts.checkedAt === null) return true
  if (facts.failing || facts.held.size > 0 || facts.unconfirmed.size > 0) return true
  if (!isSame(unit.record, record) || isActive(record) || facts.step === null) return true
  return now * 60 >= facts.checkedAt * 60 + facts.step
}

export function nextStep(record: EventRow, last: number | null, isChanged: boolean): number | null {
  if (isActive(record)) return null
  return isChanged || last === null ? HOUR : Math.min(last * 2, WEEK)
}
