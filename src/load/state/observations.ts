import { sql } from 'kysely'
import type { ObservationKind, Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireCount } from '../statements.ts'

/** What tells one observation of an account from another. */
export interface ObservedFact {
  readonly path: string
  readonly kind: ObservationKind
  readonly value: string
}

/** Every fact that was observed on this account before; some hundreds at most. */
export async function readObserved(
  { kysely }: Transaction,
  account: number,
): Promise<readonly ObservedFact[]> {
  const { rows } = await sql<ObservedFact>`
    select path, kind, value from headcount.api_observations where account_id = ${account}`.execute(kysely)
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
    insert into headcount.api_observations as known (account_id, path, kind, value, count, first_seen_at, last_seen_at)
    select ${account}, path, kind, value, count, now(), now()
      from json_to_recordset(${JSON.stringify(observations)}::json) as item(
        path text, kind text, value text, count bigint)
     order by path, kind, value
        on conflict (account_id, path, kind, value) do update
       set count = known.count + excluded.count, last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`.execute(
    trx.kysely,
  )
  requireCount('headcount.api_observations', observations.length, result)
}
