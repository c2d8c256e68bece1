/** Copies a mirror into an empty database, with all that it has learned, and marks it as moved. */
import { AccountLockedError } from '../../common/errors.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import type { Timestamp } from '../../common/schema/items.ts'
import type { Database, DatabaseLog } from '../../db/database.ts'
import { markMoved, requireNotMoved } from '../../load/state/moved.ts'
import { holdAccounts } from './database/hold-accounts.ts'
import { warnOfOtherTables, withLastSnapshot } from './database/source.ts'
import { hasRowsOf, requireSameRows } from './database/earlier-copy.ts'
import { requireEmpty, writeMirror } from './database/target.ts'
import type { TableCheck } from './database/table-checks.ts'
import type { ContentsSource, OnProgress } from './mirror-contents.ts'

/** What a move, a backup and a restore take alike. */
export interface TransferOptions {
  readonly signal: AbortSignal
  readonly log?: DatabaseLog | undefined
  readonly onProgress?: OnProgress | undefined
}

/** What a move did. */
export interface MoveReport {
  /** Without user and password. */
  readonly from: string
  readonly to: string
  readonly moved_at: Timestamp
  readonly accounts: readonly string[]
  /** What both databases have, compared row by row. */
  readonly tables: readonly TableCheck[]
  /** Roles that read the mirror until now, to be added anew in the other database. */
  readonly readers: readonly StoredReader[]
}

/**
 * Copies everything in one transaction of the target, while every account of the source is held; then the source is marked.
 *
 * @param openTarget called when nothing of the source refuses the move: it makes a missing folder
 * @param force also when the source was moved before
 * @throws MovedMirrorError; UsageError when the target is not empty; AccountLockedError while a run holds an account; DatabaseError
 */
export async function moveInto(
  source: Database,
  openTarget: () => Promise<Database>,
  options: TransferOptions & { readonly force: boolean },
): Promise<MoveReport> {
  const { signal, log, onProgress, force } = options
  return holdAccounts(source, { mode: 'move', signal, log }, async (accounts, held) => {
    if (!force) await requireNotMoved(source.kysely)
    await using target = await openTarget()
    const isCopied = await hasRowsOf(source, target)
    if (!isCopied) await requireEmpty(target)
    const copy = async (contents: ContentsSource) => {
      // guard: an account that came meanwhile
      if (contents.outline.accounts.length !== accounts) throw newAccount()
      warnOfOtherTables(contents, log)
      const tables = isCopied
        ? await requireSameRows(target, contents, held)
        : await writeMirror(target, contents, { signal: held, onProgress })
      const { accounts: names, readers } = contents.outline
      return { accounts: names, tables, readers }
    }
    const moved = await withLastSnapshot(source, held, copy, (trx) => markMoved(trx, target.label))
    const { moved_at, accounts: names, tables, readers } = moved
    return { from: source.label, to: target.label, moved_at, accounts: names, tables, readers }
  })
}

/** Its first run began between the look at the accounts and the snapshot, and nobody holds it. */
function newAccount(): AccountLockedError {
  return new AccountLockedError(
    'The mirror has got another account meanwhile, whose first run may be in progress. Nothing was moved. Run it again.',
  )
}
