import { sql } from 'kysely'
import { NEVER } from '../../common/abort.ts'
import type { Database } from '../database.ts'
import { CANCELLED, codeOf } from '../errors/sqlstate.ts'
import { cancelOnAbort } from './cancel-on-abort.ts'

interface ExecuteOptions {
  /** Cancels the statement. */
  readonly signal?: AbortSignal | undefined
  readonly timeLimitMs: number
  /** How long it may wait for a lock; for ever when not given. Who comes after it, only to read, waits behind it. */
  readonly lockWaitMs?: number
}

/**
 * Executes a statement that cannot run in a transaction. Behind a proxy no setting outlives a transaction, so the time limit is kept
 * here, and nobody knows its session: it is found by a mark. PGlite ends no statement early.
 *
 * @returns false when it was ended because the lock did not come
 */
export async function executeOutsideTransaction(
  database: Database,
  statement: string,
  { signal, timeLimitMs, lockWaitMs }: ExecuteOptions,
): Promise<boolean> {
  const mark = `/* headcount ${crypto.randomUUID()} */`
  const isThis = sql`starts_with(query, ${mark})`
  const limit = AbortSignal.any([AbortSignal.timeout(timeLimitMs), ...(signal ? [signal] : [])])
  const lockLimit = lockWaitMs === undefined ? NEVER : AbortSignal.timeout(lockWaitMs)
  const text = `${mark} ${statement}`
  using ending = new DisposableStack()
  ending.use(cancelOnAbort(database, isThis, limit))
  // guard: readers beside a table that is written anew
  ending.use(cancelOnAbort(database, sql`${isThis} and wait_event_type = 'Lock'`, lockLimit))
  try {
    await (database.queryOutsideTransaction?.(text) ?? sql.raw(text).execute(database.kysely))
    return true
  } catch (error) {
    if (lockLimit.aborted && !limit.aborted && codeOf(error) === CANCELLED) return false
    throw error
  }
}
