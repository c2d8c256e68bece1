/** Makes a mirror of a backup, and erases whom it would bring back. */
import { UsageError } from '../../common/errors.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'
import type { ErasureReport } from '../../common/schema/tables.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import type { Database } from '../../db/database.ts'
import type { Transaction } from '../../db/transaction.ts'
import { accountNames } from '../../sync/open/find-account.ts'
import { requireKeyOf } from '../../sync/open/suppressions.ts'
import { accountId } from '../../mirror/accounts/resolve-account.ts'
import { countActive } from '../../mirror/keys/keys.ts'
import { addEntries, eraseImported, readHashed } from '../../mirror/persons/erase.ts'
import { parseSuppressionFile, type ImportedSuppression } from '../../mirror/persons/suppression-file.ts'
import { vacuumErased, type Vacuumed } from '../../mirror/persons/vacuum.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { requireEmpty, writeMirror } from './database/target.ts'
import type { TableCheck } from './database/table-checks.ts'
import type { Backup } from './file/read-backup.ts'
import type { TransferOptions } from './move.ts'

/** A suppression list that was kept beside the backup. */
export interface KeptSuppressions {
  readonly account: string
  readonly entries: readonly ImportedSuppression[]
}

/**
 * Reads what `person suppressions --json` printed.
 *
 * @param source what it is called in messages
 * @throws UsageError that names the place
 */
export function keptSuppressions(document: JsonValue, source: string, key: PersonKey): KeptSuppressions {
  const entries = parseSuppressionFile(document, source, key)
  const account = isObject(document) ? document['account'] : null
  if (typeof account !== 'string')
    throw new UsageError(`${source}: it names no account. Nothing was changed.`)
  return { account, entries }
}

export interface RestoreChoices extends TransferOptions {
  readonly suppressions: readonly KeptSuppressions[]
  /** Needed with a list. */
  readonly key: PersonKey | null
}

/** What is known of erased people in one account of a restored mirror. */
export interface KnownErasures {
  readonly account: string
  /** People on the suppression list of the backup: they were erased before it was made, and stay erased. */
  readonly in_backup: number
  /** People on the list that was given; null: none was given, and whoever was erased since the backup is in the mirror again. */
  readonly in_list: number | null
  /** Those of them who were not on the backup's own list. */
  readonly erased_since: number
}

/** What a restore did. */
export interface RestoredMirror {
  readonly file: string
  /** Without user and password. */
  readonly to: string
  /** The moment that the backup shows. */
  readonly created_at: string
  /** Of the backup; the mirror has that of this program. */
  readonly schema: number
  readonly accounts: readonly string[]
  readonly tables: readonly TableCheck[]
  /** Roles that read the mirror when the backup was made, to be added anew. */
  readonly readers: readonly StoredReader[]
  /** Keys that open the mirror, those included that were revoked after the backup. */
  readonly active_keys: number
  /** Links that open it, likewise. */
  readonly active_links: number
  readonly erasures: readonly KnownErasures[]
  /** One for each list that was given. */
  readonly receipts: readonly (ErasureReport & Vacuumed)[]
}

/**
 * Restores a backup in one transaction. The people of the lists are on the suppression list when it commits, so that a restore that is
 * ended afterwards brings nobody back: the next run erases them before it reads anything.
 *
 * @throws UsageError when the target is not empty; InvalidBackupError when the file has changed since; DatabaseError
 */
export async function restoreInto(
  target: Database,
  { manifest, source, file }: Backup,
  options: RestoreChoices,
): Promise<RestoredMirror> {
  const { signal, onProgress, suppressions, key } = options
  await requireEmpty(target)
  let erasures: readonly KnownErasures[] = []
  let active = { keys: 0, links: 0 }
  const tables = await writeMirror(target, source, {
    signal,
    onProgress,
    finish: async (trx) => {
      erasures = await suppress(trx, suppressions, key)
      active = await countActive(trx)
    },
  })
  const receipts = key === null ? [] : await erase(target, key, options)
  const { created_at, schema, accounts, readers } = manifest
  const opened = { active_keys: active.keys, active_links: active.links }
  return {
    file,
    to: target.label,
    created_at,
    schema,
    accounts,
    tables,
    readers,
    ...opened,
    erasures,
    receipts,
  }
}

/** Puts everybody of the lists on the suppression list. @throws UsageError for an unknown account, or another key than before */
async function suppress(
  trx: Transaction,
  lists: readonly KeptSuppressions[],
  key: PersonKey | null,
): Promise<readonly KnownErasures[]> {
  for (const { account } of lists) await accountId(trx, account)
  const known: KnownErasures[] = []
  for (const account of await accountNames(trx)) {
    const id = await accountId(trx, account)
    const stored = await readHashed(trx, id)
    const list = lists.find((given) => given.account === account)
    let erasedSince = 0
    if (list !== undefined && key !== null) {
      requireKeyOf(stored, account, key)
      const before = new Set(stored.map(({ email_hash }) => email_hash))
      erasedSince = list.entries.filter(({ email_hash }) => !before.has(email_hash)).length
      // guard: erased people in a backup
      await addEntries(trx, id, key, list.entries)
    }
    known.push({
      account,
      in_backup: stored.length,
      in_list: list?.entries.length ?? null,
      erased_since: erasedSince,
    })
  }
  return known
}

async function erase(
  target: Database,
  key: PersonKey,
  { suppressions, signal, log }: RestoreChoices,
): Promise<RestoredMirror['receipts']> {
  const receipts: (ErasureReport & Vacuumed)[] = []
  for (const { account, entries } of suppressions) {
    const options = { account, key, replaceKey: false, signal, log }
    const report = await eraseImported(target, entries, options)
    receipts.push({ ...report, ...(await vacuumErased(target, report, signal)) })
  }
  return receipts
}
