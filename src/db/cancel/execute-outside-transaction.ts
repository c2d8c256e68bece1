import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { cancelOnAbort } from './cancel-on-abort.ts'

interface ExecuteOptions {
  /** Cancels the statement. */
  readonly signal?: AbortSignal | undefined
  readonly timeLimitMs: number
}

/**
 * Executes a statement that cannot run in a transaction. Behind a proxy no setting outlives a transaction, so the time limit is kept
 * here, and nobody knows its session: it is found by a mark. PGlite ends no statement early.
 */
export async function executeOutsideTransaction(
  database: Database,
  statement: string,
  { signal, timeLimitMs }: ExecuteOptions,
): Promise<void> {
  const mark = `/* headcount ${crypto.randomUUID()} */`
  const limit = AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])])
  using _ = cancelOnAbort(database, sql`starts_with(query, ${mark})`, limit)
  const text = `${mark} ${statement}`
  await (database.queryOutsideTransaction?.(text) ?? sql.raw(text).execute(database.kysely))
}
