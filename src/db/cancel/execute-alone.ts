import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { cancelOnAbort } from './cancel-on-abort.ts'

/**
 * Executes a statement that cannot run in a transaction. Behind a proxy no setting outlives a transaction, so the time limit is kept
 * here, and nobody knows its session: it is found by a mark. PGlite ends no statement early.
 *
 * @param options.signal cancels the statement
 */
export async function executeAlone(
  database: Database,
  statement: string,
  { signal, timeLimitMs }: { readonly signal?: AbortSignal | undefined; readonly timeLimitMs: number },
): Promise<void> {
  const mark = `/* headcount ${crypto.randomUUID()} */`
  const limit = AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])])
  using _ = cancelOnAbort(database, sql`starts_with(query, ${mark})`, limit)
  await sql.raw(`${mark} ${statement}`).execute(database.kysely)
}
