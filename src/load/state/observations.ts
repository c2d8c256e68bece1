import { sql } from 'kysely'
import type { ObservationKind, Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireCount } from '../statements.ts'

/** What tells one observation of an account from another. */
export interface ObservedFact {
  readonly subject: string
  readonly fact: ObservationKind
  readonly value: string
}

/** Every fact that was observed on this account before; some hundreds at most. */
export async function readObserved(
  { kysely }: Transaction,
  account: number,
): Promise<readonly ObservedFact[]> {
  const { rows } = await sql<ObservedFact>`
    select subject, fact, value from headcount.api_observations where account_id = ${account}`.execute(kysely)
  return rows
}

/** Adds what was seen to what had been seen before. */
export async function recordObservations(
  trx: Transaction,
  account: number,
  observations: readonly Observation[],
): Promise<void> {
  if (observations.length === 0) return
  const result = await sql`
    insert into headcount.api_observations as known (account_id, subject, fact, value, seen, first_seen_at, last_seen_at)
    select ${account}, subject, fact, value, seen, now(), now()
      from json_to_recordset(${JSON.stringify(observations)}::json) as item(
        subject text, fact text, value text, seen bigint)
     order by subject, fact, value
        on conflict (account_id, subject, fact, value) do update
       set seen = known.seen + excluded.seen, last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`.execute(
    trx.kysely,
  )
  requireCount('headcount.api_observations', observations.length, result)
}
