import { sql } from 'kysely'
import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { assertRowCount } from '../statements.ts'

interface StoredObservation extends Observation {
  /** The number of finished runs that saw it. */
  readonly count: number
}

/** All stored observations of an account; some hundreds at most. */
export async function readObservations(
  { kysely }: Pick<Transaction, 'kysely'>,
  account: number,
): Promise<readonly StoredObservation[]> {
  const { rows } = await sql<StoredObservation>`
    select path, kind, value, count::float8 as count
      from headcount.api_observations where account_id = ${account}`.execute(kysely)
  return rows
}

/**
 * Stores observations.
 *
 * @param runs is added to their counts: 0 during the run, 1 at its end
 */
export async function saveObservations(
  trx: Transaction,
  account: number,
  observations: readonly Observation[],
  runs: 0 | 1,
): Promise<void> {
  if (observations.length === 0) return
  // Sorted, against deadlocks: two batches may store the same observations at once.
  const result = await sql`
    insert into headcount.api_observations as known (account_id, path, kind, value, count)
    select ${account}, path, kind, value, ${runs}
      from json_to_recordset(${JSON.stringify(observations)}::json) as item(path text, kind text, value text)
     order by path, kind, value
        on conflict (account_id, path, kind, value) do update
       set count = known.count + excluded.count, last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`.execute(
    trx.kysely,
  )
  assertRowCount('headcount.api_observations', observations.length, result)
}
