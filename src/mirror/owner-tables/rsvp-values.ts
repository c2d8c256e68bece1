/** The values that replies have, and how many responses have each. */
import { sql } from 'kysely'
import { nearestName } from '../../common/text/did-you-mean.ts'
import { CANCELLED, codeOf } from '../../db/errors/sqlstate.ts'
import { canCancelStatements } from '../../db/pglite/statement-timeout.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'

/** A value of `responses.rsvp`. */
export interface RsvpValue {
  readonly value: string
  readonly responses: number
}

/** A longer value is no word that somebody mistyped. */
const MAX_SIMILAR_CHARACTERS = 200
const MAX_SIMILAR_VALUES = 10_000

export async function countResponses({ kysely }: Transaction, value: string): Promise<number> {
  const { rows } = await sql<{ responses: number }>`
    select count(*)::float8 as responses from headcount.responses where rsvp = ${value}`.execute(kysely)
  return rows[0]?.responses ?? 0
}

/** The value most like this one that responses have; null when none has a value. */
export async function nearestValue({ kysely }: Transaction, value: string): Promise<string | null> {
  const { rows } = await sql<{ value: string }>`
    select rsvp as value
      from headcount.responses
     where char_length(rsvp) <= ${MAX_SIMILAR_CHARACTERS}
     group by 1 order by count(*) desc, rsvp collate "C" limit ${MAX_SIMILAR_VALUES}`.execute(kysely)
  const values = rows.map((row) => row.value)
  return values.length === 0 ? null : nearestName(value, values)
}

/** Values that `status` names for an account: what is more shows in the list of meanings. */
const MAX_VALUES_OF_STATUS = 100

/**
 * The values that have no meaning, of each account by its name, the most frequent first. No index has them, so all
 * responses are read: 0.15 s for a million on Postgres, as long as their number takes.
 *
 * @returns null when that took longer than `maxMs`; where no statement on PGlite can be cancelled, as in a worker thread, it waits
 */
export async function readValuesWithoutMeaning(
  database: Database,
  maxMs: number,
): Promise<ReadonlyMap<string, readonly RsvpValue[]> | null> {
  try {
    const ask = ({ engine, query, queryWithin }: Transaction) =>
      engine === 'pglite' && !canCancelStatements
        ? query(VALUES_WITHOUT_MEANING)
        : queryWithin(maxMs, VALUES_WITHOUT_MEANING)
    const { rows } = await database.transaction(ask, { readOnly: true })
    const accounts = Map.groupBy(rows, ([account]) => String(account))
    const valueOf = ([, value, responses]: readonly unknown[]): RsvpValue => ({
      value: String(value),
      responses: Number(responses),
    })
    return new Map([...accounts].map(([account, values]) => [account, values.map(valueOf)]))
  } catch (error) {
    if (codeOf(error) === CANCELLED) return null
    throw error
  }
}

const VALUES_WITHOUT_MEANING = `
  with found as (
    select r.account_id, r.rsvp as value, count(*) as responses,
           row_number() over (partition by r.account_id order by count(*) desc, r.rsvp collate "C") as rank
      from headcount.responses r
     where r.rsvp is not null
       and not exists (select from headcount.rsvp_meanings m where m.value = r.rsvp)
     group by 1, 2
  )
  select a.name, found.value, found.responses
    from found
    join headcount.accounts a on a.id = found.account_id
   where found.rank <= ${MAX_VALUES_OF_STATUS}
   order by found.account_id, found.rank`
