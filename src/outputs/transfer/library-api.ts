import { checkOptions } from '../../common/options/check-options.ts'
import { withoutRejections } from '../../common/options/callbacks.ts'
import { interruptible, NEVER } from '../../common/abort.ts'
import { UsageError } from '../../common/errors.ts'
import { parsePlain } from '../../common/json/exact.ts'
import { connect, pgliteDataDir, type Database } from '../../db/connect.ts'
import { isSameFolder } from '../../db/pglite/data-dir.ts'
import { targetOf, type DatabaseOptions } from '../../db/target.ts'
import { prepareSchema } from '../../mirror/calls/call.ts'
import { withDatabase, type MirrorOptions } from '../../mirror/library-api/with-mirror.ts'
import { requirePersonKey } from '../../mirror/persons/erase.ts'
import {
  parseSuppressionFile,
  type GivenList,
  type SuppressionFile,
} from '../../mirror/persons/suppression-file.ts'
import { logTo, personKeyOf, type Logger } from '../../sync/options.ts'
import { backupTo, type BackupReport } from './backup.ts'
import { requireReadable } from './database/source.ts'
import { openBackup } from './file/read-backup.ts'
import { moveInto, type MoveReport } from './move.ts'
import type { TransferProgress } from './mirror-contents.ts'
import { requireAccounts, restoreInto, type RestoredMirror } from './restore.ts'

export interface TransferWatch {
  /** Its abort ends the work; nothing is left of it, but for a restore that has only to erase who is on the lists. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: TransferProgress) => void
}

export interface MoveOptions extends MirrorOptions, TransferWatch {
  /** The empty database: `postgres://…` or `pglite:<folder>`, which is made when it is missing. */
  readonly to: string
}

/**
 * Copies the mirror into an empty database with all that it has learned, compares both, and marks this one as moved. Whatever ends it
 * before leaves the other database empty and this one as it was.
 *
 * @throws UsageError when the other database is not empty; MovedMirrorError; AccountLockedError while a run holds an account; DatabaseError
 */
export async function moveMirror(options: MoveOptions): Promise<MoveReport> {
  checkOptions(options, 'to')
  const { to, onFolderInUse, force = false } = options
  const { signal, log, onProgress } = watchOf(options)
  await requireOther(options.database, to)
  const interrupted = 'The move was interrupted; the other database is as empty as before.'
  const openTarget = () => connect(to, { log, signal, ...(onFolderInUse !== undefined && { onFolderInUse }) })
  return withWholeMirror({ ...options, interrupted }, (source) =>
    moveInto(source, openTarget, { signal, log, onProgress, force }),
  )
}

/** A role that may not read everything is told so before it is asked for rights to anything. */
function withWholeMirror<T>(
  options: MirrorOptions & { readonly interrupted: string },
  work: (source: Database) => Promise<T>,
): Promise<T> {
  return withDatabase(options, async (source) => {
    await requireReadable(source)
    await prepareSchema(source, true, options)
    return await work(source)
  })
}

/** @throws UsageError when both are one folder, which one process opens once */
async function requireOther(from: string | undefined, to: string): Promise<void> {
  const folder = pgliteDataDir(to)
  const source = from === undefined ? null : pgliteDataDir(from)
  if (folder === null || source === null || !(await isSameFolder(source, folder))) return
  throw new UsageError(`The mirror is in the folder ${folder} already: name another one to move it to.`)
}

function watchOf({ signal = NEVER, logger, onProgress }: TransferWatch & Pick<MirrorOptions, 'logger'>) {
  return { signal, log: logTo(logger), onProgress: withoutRejections(onProgress) }
}

export interface BackupOptions extends MirrorOptions, TransferWatch {
  /** The file: it gets its name when it is whole, and others than its owner may not read it. `force` replaces one. */
  readonly file: string
}

/**
 * Writes the mirror to a file, with all that it has learned.
 *
 * @throws UsageError when the file exists; AccountLockedError while a run holds an account; OutputError for a full disk; DatabaseError
 */
export async function backupMirror(options: BackupOptions): Promise<BackupReport> {
  checkOptions(options, 'file')
  const { file, force = false } = options
  const watch = watchOf(options)
  const interrupted = 'The backup was interrupted; there is no file of it.'
  return withWholeMirror({ ...options, interrupted, force: true }, (source) =>
    backupTo(source, file, { ...watch, force }),
  )
}

export interface RestoreOptions extends DatabaseOptions, TransferWatch {
  readonly file: string
  /** What `exportSuppressions` gave of each account, from after the backup: these people are erased from what is restored. */
  readonly suppressions?: readonly SuppressionFile[]
  /** The key of these lists. */
  readonly personKey?: string
  readonly logger?: Logger
}

/**
 * Makes a mirror of a backup in an empty database, which is made when it is a missing folder. Whatever ends it before leaves the
 * database empty; who is on the lists is erased afterwards, by the next sync at the latest.
 *
 * @throws UsageError when the database is not empty, or a list is faulty or not of the backup; InvalidBackupError for a file that is cut short or changed; SchemaVersionError
 * for one of a newer program; DatabaseError
 */
export async function restoreMirror(options: RestoreOptions): Promise<RestoredMirror> {
  checkOptions(options, 'file')
  const { suppressions = [], ...others } = options
  if (!Array.isArray(suppressions))
    throw new UsageError('The option `suppressions` must be an array of lists, one or more, not an object.')
  const lists = suppressions.map((list, index) => ({
    source: `The option \`suppressions[${index}]\``,
    document: parsePlain(JSON.stringify(list)),
  }))
  return restoreWith(lists, others)
}

/** The same with lists that bear names for messages. */
export async function restoreWith(
  given: readonly GivenList[],
  options: Omit<RestoreOptions, 'suppressions'>,
): Promise<RestoredMirror> {
  const { file, personKey } = options
  const watch = watchOf(options)
  const { signal, log, onProgress } = watch
  const key = given.length === 0 ? null : requirePersonKey(personKeyOf(personKey))
  const lists = key === null ? [] : given.map((list) => parseSuppressionFile(list, key))
  return interruptible(
    signal,
    'The restore was interrupted; the database is as empty as before.',
    async () => {
      // Before a folder is made for it.
      const onBytes = (bytes: number) => onProgress({ step: 'reading', bytes })
      const backup = await openBackup(file, { signal, onBytes })
      requireAccounts(lists, backup.manifest.accounts)
      await using target = await connect(targetOf(options), { log, signal })
      return await restoreInto(target, backup, { suppressions: lists, key, ...watch })
    },
  )
}
