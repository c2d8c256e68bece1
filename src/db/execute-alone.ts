import { sql } from 'kysely'
import type { Database } from './database.ts'

interface AloneOptions {
  /** Cancels the statement. */
  readonly signal?: AbortSignal | undefined
  readonly timeLimitMs: number
}

/**
 * Executes a statement that cannot run in a transaction. Behind a proxy no setting outlives a transaction, so the time limit is kept
 * here. PGlite ends no statement early.
 */
export async function executeAlone(
  database: Database,
  statement: string,
  { signal, timeLimitMs }: AloneOptions,
): Promise<void> {
  const mark = `headcount ${crypto.randomUUID()}`
  const cancel = () => void cancelStatement(database, mark)
  const limit = AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])])
  if (database.engine !== 'pglite') limit.addEventListener('abort', cancel, { once: true })
  try {
    await sql.raw(`/* ${mark} */ ${statement}`).execute(database.kysely)
  } finally {
    limit.removeEventListener('abort', cancel)
  }
}

async function cancelStatement(database: Database, mark: string): Promise<void> {
  await sql`
    select pg_catalog.pg_cancel_backend(pid)
      from pg_catalog.pg_stat_activity
     where pid <> pg_catalog.pg_backend_pid() and starts_with(query, ${`/* ${mark} */`})`
    .execute(database.kysely)
    .catch(() => {})
}
