/** Time stamps as they are sent, and the instant and the wall clock that they mean. */
import type { Chance } from './chance.ts'

export interface Stamp {
  readonly sent: string
  /** UTC with six fraction digits and Z. */
  readonly utc: string
  /** The wall clock as sent, with six fraction digits. */
  readonly local: string
}

/** A moment of some year, with or without a fraction of a second, in UTC or with an offset. */
export function stampOf(chance: Chance, year: number, zoned: boolean): Stamp {
  const wall = Date.UTC(
    year,
    chance.int(0, 11),
    chance.int(1, 28),
    chance.int(0, 23),
    chance.int(0, 59),
    chance.int(0, 59),
  )
  const fraction = chance.odds(0.1) ? String(chance.int(1, 999_999)).padStart(6, '0') : ''
  const minutes = zoned ? chance.pick([0, 60, 120, -300, 345, 840, -720]) : 0
  const micros = `.${fraction.padEnd(6, '0')}`
  const offset = zoned ? offsetText(minutes) : 'Z'
  return {
    sent: `${clock(wall)}${fraction === '' ? '' : `.${fraction}`}${offset}`,
    utc: `${clock(wall - minutes * 60_000)}${micros}Z`,
    local: `${clock(wall)}${micros}`,
  }
}

/** What no column holds: it must be set aside. */
export const badStamps = [
  '2026-02-30T10:00:00Z',
  'now',
  '2026-03-01 10:00:00Z',
  '2026-03-01T10:00:60Z',
  '',
] as const

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
