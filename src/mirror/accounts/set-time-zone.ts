import { distance } from 'fastest-levenshtein'
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireNotRemoved } from '../../sync/open/find-account.ts'
import { defineChange } from '../calls/call.ts'
import { object, text } from '../calls/input.ts'
import { accountId } from './resolve-account.ts'

export interface SetTimeZone {
  readonly account: string
  readonly time_zone: string
  readonly former_time_zone: string
}

export const setAccountCall = defineChange(
  'set-account',
  object({ account: text, time_zone: text }),
  setTimeZone,
)

/**
 * Sets the zone of days and months in the views of an account.
 *
 * @throws UsageError when there is no such account, or the database knows no such zone
 */
async function setTimeZone(
  trx: Transaction,
  { account, time_zone: zone }: Omit<SetTimeZone, 'former_time_zone'>,
): Promise<SetTimeZone> {
  const { kysely } = trx
  const id = await accountId(trx, account)
  await requireZone(trx, zone)
  const { rows } = await sql<{ time_zone: string }>`
    select time_zone from headcount.accounts where id = ${id} for no key update`.execute(kysely)
  await requireNotRemoved(trx, id, account)
  await kysely.updateTable('headcount.accounts').set({ time_zone: zone }).where('id', '=', id).execute()
  return { account, time_zone: zone, former_time_zone: rows[0]?.time_zone ?? zone }
}

/** Zones with summer time whose names Postgres takes for the abbreviation of an offset, and places that have them. */
const placesOfAbbreviations: ReadonlyMap<string, string> = new Map([
  ['CET', 'Europe/Brussels'],
  ['MET', 'Europe/Brussels'],
  ['EET', 'Europe/Athens'],
  ['WET', 'Europe/Lisbon'],
])

async function requireZone({ kysely }: Transaction, zone: string): Promise<void> {
  const place = placesOfAbbreviations.get(zone)
  if (place !== undefined)
    throw new UsageError(
      `To Postgres ${quote(zone)} is an offset without summer time; take the name of a place, like ${place}. Nothing was changed.`,
    )
  const { rows } = await sql<{ name: string }>`
    select name from pg_timezone_names order by name collate "C"`.execute(kysely)
  const names = rows.map(({ name }) => name)
  if (names.includes(zone)) return
  const nearest = nearestZone(zone, names)
  throw new UsageError(
    `The database knows no time zone ${quote(zone)}; ${nearest === null ? 'zones have names like Europe/Berlin' : `the nearest is ${nearest}`}. Nothing was changed.`,
  )
}

/** By its whole name or by the city alone, in upper or lower case; null when none is written like it. */
export function nearestZone(zone: string, names: readonly string[]): string | null {
  // An abbreviation of an offset is like the names of cities by chance.
  if (/^[A-Z]{2,5}$/.test(zone)) return null
  const word = comparable(zone)
  const steps = (name: string) => {
    const whole = comparable(name)
    return Math.min(distance(word, whole), distance(word, whole.slice(whole.lastIndexOf('/') + 1)))
  }
  // Some systems have each zone a second time, below these.
  const own = names.filter((name) => !/^(?:posix|right)\//.test(name))
  const [nearest] = own.map((name) => ({ name, steps: steps(name) })).toSorted((a, b) => a.steps - b.steps)
  return nearest !== undefined && nearest.steps <= word.length / 2 ? nearest.name : null
}

function comparable(zone: string): string {
  return zone.toLowerCase().replaceAll(' ', '_')
}
