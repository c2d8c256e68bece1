import type { ErasedCounts, ErasureReport } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import { executeAlone } from '../../db/execute-alone.ts'

/** The tables that an erasure writes to. */
const TABLES = {
  responses: ['responses', 'slots'],
  versions: ['response_history'],
  rejects: ['rejects'],
  messages: ['sync_state', 'sync_runs'],
} as const satisfies Partial<Record<keyof ErasedCounts, readonly string[]>>
/** Longest time for one table. */
const VACUUM_LIMIT_MS = 3_600_000

/**
 * Writes the tables anew from which something was erased, now or before, so that their files and statistics hold it no longer. Nobody can read
 * a table meanwhile.
 *
 * @returns the names of the tables
 */
export async function vacuumErased(
  database: Database,
  { erased, is_repeated }: ErasureReport,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tables = Object.entries(TABLES).flatMap(([what, names]) =>
    is_repeated || erased[what as keyof typeof TABLES] > 0 ? [...names] : [],
  )
  for (const table of tables) {
    signal.throwIfAborted()
    await executeAlone(database, `vacuum (full, analyze) headcount.${table}`, {
      signal,
      timeLimitMs: VACUUM_LIMIT_MS,
    })
  }
  return tables
}

/** What no command of this program reaches. */
export const NOT_REACHED: readonly string[] = [
  'the service itself: ask it to delete the responses',
  'backups of this database: after one is restored, run person erase --suppressions with the list of today',
  'write-ahead logs, archives and replicas, until they have passed on or were overwritten',
  'mirrors that read this one, and files that were exported: run the same command there',
]
