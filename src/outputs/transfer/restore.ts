/** Makes a mirror of a backup, and erases whom it would bring back. */
import { interruptible } from '../../common/abort.ts'
import { accountFlag, commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { ErasureReport } from '../../common/schema/tables.ts'
import { formatCount } from '../../common/text/number.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import type { Database } from '../../db/database.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readSuppressions } from '../../load/state/suppressions.ts'
import { accountNames } from '../../sync/open/find-account.ts'
import { accountId } from '../../mirror/accounts/resolve-account.ts'
import { countActive } from '../../mirror/keys/keys.ts'
import { addEntries } from '../../mirror/persons/add-entries.ts'
import { eraseImported } from '../../mirror/persons/erase.ts'
import { readEntries, type StoredEntry, type SuppressionList } from '../../mirror/persons/suppression-file.ts'
import { vacuumErased, type Vacuumed } from '../../mirror/persons/vacuum.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { requireEmpty, writeMirror } from './database/target.ts'
import type { TableCheck } from './database/table-checks.ts'
import type { Backup } from './file/read-backup.ts'
import type { TransferOptions } from './move.ts'

export interface RestoreChoices extends TransferOptions {
  /** Kept beside the backup. */
  readonly suppressions: readonly SuppressionList[]
  /** Needed with a list. */
  readonly key: PersonKey | null
}

/** What is known of erased people in one account of a restored mirror. */
export interface KnownErasures {
  readonly account: string
  /** People on the suppression list of the backup, also those known by ids of responses alone: they were erased before it was made, and stay erased. */
  readonly in_backup: number
  /** Those of them whose erasure was under way, or broken off, when it was made: the next sync ends it before it reads anything. */
  readonly unfinished: number
  /** People on the lists that were given, each once; null: none was given, and whoever was erased since the backup is in the mirror again. */
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
 * @throws UsageError when the target is not empty, or a list has another key; InvalidBackupError when the file has changed since; DatabaseError
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
  const receipts = await interruptible(
    signal,
    'It was interrupted after all was restored: the next sync erases who is on the lists.',
    async () => (key === null ? [] : erase(target, key, options)),
  )
  const { created_at, schema, accounts, readers } = manifest
  return {
    file,
    to: target.label,
    created_at,
    schema,
    accounts,
    tables,
    readers,
    active_keys: active.keys,
    active_links: active.links,
    erasures,
    receipts,
  }
}

/** @throws UsageError for the list of an account that the backup does not have */
export function requireAccounts(lists: readonly SuppressionList[], accounts: readonly string[]): void {
  const list = lists.find(({ account }) => !accounts.includes(account))
  if (list === undefined) return
  throw new UsageError(
    `${list.source} is the list of account "${one(list.account)}", and the backup has no account "${one(list.account)}"; it has ` +
      `${accounts.map(one).join(', ')}. Nothing was restored. If the account was renamed since the backup, change "account" in the ` +
      `list to the name that it had then.`,
  )
}

const one = stripControlCharsInLine

/** @throws UsageError when the backup's own list was made with another key */
function requireKeyOfBackup(
  { source, account }: SuppressionList,
  stored: readonly StoredEntry[],
  key: PersonKey,
): void {
  const others = stored.filter(({ email_hash, key_check }) => email_hash !== null && key_check !== key.check)
  if (others.length === 0) return
  throw new UsageError(
    `${source}: of account "${one(account)}" the backup has ${formatCount(others.length, 'person', 'people')} on its own list who ` +
      `${others.length === 1 ? 'was' : 'were'} erased with another key than that of ${optionName('personKey')}. Nothing was restored. ` +
      `If the key was replaced since the backup, restore without this list, and then run: ${commandName()} person erase ` +
      `--suppressions FILE${accountFlag(account)} --replace-key. Else set the key that was used then.`,
  )
}

/** Puts everybody of the lists on the suppression list. @throws UsageError for another key than before */
async function suppress(
  trx: Transaction,
  lists: readonly SuppressionList[],
  key: PersonKey | null,
): Promise<readonly KnownErasures[]> {
  const known: KnownErasures[] = []
  for (const account of await accountNames(trx)) {
    const id = await accountId(trx, account)
    const stored = await readEntries(trx, id)
    const unfinished = (await readSuppressions(trx.kysely, id)).filter(({ erased_at }) => erased_at === null)
    const given = lists.filter((list) => list.account === account)
    const [first] = given
    let listed = { known: 0, added: 0 }
    if (first !== undefined && key !== null) {
      requireKeyOfBackup(first, stored, key)
      const entries = given.flatMap((list) => list.entries)
      // guard: erased people in a backup
      listed = await addEntries(trx, id, key, entries)
    }
    known.push({
      account,
      in_backup: stored.length,
      unfinished: unfinished.length,
      in_list: first === undefined ? null : listed.known + listed.added,
      erased_since: listed.added,
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
