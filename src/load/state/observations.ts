import { sql } from 'kysely'
import type { ObservationKind, Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { assertRowCount } from '../statements.ts'

/** What identifies an observation within an account. */
export interface ObservationKey {
  readonly path: string
  readonly kind: ObservationKind
  readonly value: string
}

/** The keys of all stored observations of an account; some hundreds at most. */
export async function readObservationKeys(
  { kysely }: Transaction,
  account: number,
): Promise<readonly ObservationKey[]> {
  const { rows } = await sql<ObservationKey>`
    select path, kind, value from headcount.api_observations where account_id = ${account}`.execute(kysely)
  return rows
}

/** Adds observations to the stored ones. */
export async function saveObservations(
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
  assertRowCount('headcount.api_observations', observations.length, result)
}
