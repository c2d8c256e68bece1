import { UsageError } from '../common/errors.ts'
import { connect, pgliteDataDir, type Database } from '../db/connect.ts'
import { withMirror, type MirrorOptions } from '../mirror/library-api/with-mirror.ts'
import { logTo } from '../sync/options.ts'
import { moveInto, type MoveReport } from './move.ts'
import type { TransferProgress } from './mirror-contents.ts'

/** A signal that is never aborted. */
const NEVER = new AbortController().signal

export interface TransferWatch {
  /** Its abort ends the work; nothing is left of it. */
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
  const { to, signal = NEVER, onProgress, logger, force = false } = options
  requireOther(options.database, to)
  return withMirror({ ...options, force: true }, 'write', (source) =>
    withTarget(to, options, (target) =>
      moveInto(source, target, { signal, log: logTo(logger), onProgress, force }),
    ),
  )
}

/** @throws UsageError when both are one folder, which one process opens once */
function requireOther(from: string | undefined, to: string): void {
  const folder = pgliteDataDir(to)
  if (from === undefined || folder === null || pgliteDataDir(from) !== folder) return
  throw new UsageError(`The mirror is in the folder ${folder} already: name another one to move it to.`)
}

async function withTarget<T>(
  to: string,
  { logger, onFolderInUse }: MirrorOptions,
  work: (target: Database) => Promise<T>,
): Promise<T> {
  await using target = await connect(to, {
    log: logTo(logger),
    ...(onFolderInUse !== undefined && { onFolderInUse }),
  })
  return await work(target)
}
