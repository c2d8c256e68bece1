/** Copies a mirror into one file. */
import type { Timestamp } from '../../common/schema/items.ts'
import type { Database } from '../../db/database.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import { movedWarning } from '../../load/state/moved.ts'
import { holdAccounts } from './database/hold-accounts.ts'
import { warnOfOtherTables, withSnapshot } from './database/source.ts'
import type { BackedUpTable } from './file/manifest.ts'
import { requireNewFile, writeBackup } from './file/write-backup.ts'
import type { TransferOptions } from './move.ts'

/** What a backup holds. */
export interface BackupReport {
  readonly file: string
  /** Of headcount. */
  readonly version: string
  /** Number of the last migration. */
  readonly schema: number
  /** The moment that all rows show. */
  readonly created_at: Timestamp
  readonly engine: 'postgres' | 'pglite'
  readonly accounts: readonly string[]
  readonly tables: readonly BackedUpTable[]
  /** Roles that read the mirror: their rights are not in the file. */
  readonly readers: readonly StoredReader[]
}

/**
 * Writes the mirror to a file while every account is held.
 *
 * @param force replaces a file of this name
 * @throws UsageError when there is such a file; AccountLockedError while a run holds an account; OutputError for a full disk
 */
export async function backupTo(
  source: Database,
  file: string,
  { signal, log, onProgress, force }: TransferOptions & { readonly force: boolean },
): Promise<BackupReport> {
  await requireNewFile(file, force)
  const moved = await movedWarning(source.kysely)
  if (moved !== null) log?.('warn', moved)
  const { engine } = source
  return holdAccounts(source, { mode: 'backup', signal, log }, async (_, ended) => {
    const written = await withSnapshot(source, ended, (contents) => {
      warnOfOtherTables(contents, log)
      return writeBackup(file, contents, { engine, signal: ended, onProgress })
    })
    const { kind, format, identities, ...manifest } = written
    return { file, ...manifest }
  })
}
