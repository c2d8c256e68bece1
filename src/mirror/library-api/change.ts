/** What a program may change in a mirror beside the data of the service; each as the command of this name does it. */
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { NEVER } from '../../common/abort.ts'
import type { Database } from '../../db/connect.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import { UsageError } from '../../common/errors.ts'
import { name } from '../../common/parse-values.ts'
import type { AcceptedReject } from '../../load/state/accepted-rejects.ts'
import { accountsCall, type AccountSummary } from '../accounts/list.ts'
import { removeAccount as removeAccountById } from '../accounts/remove.ts'
import { parseNewName, renameAccount as renameAccountInMirror } from '../accounts/rename.ts'
import { acceptRejectsCall, parseHashPrefix } from '../calls/accept-rejects.ts'
import {
  createKeyCall,
  keysCall,
  revokeKeyCall,
  type CreatedKey,
  type ListedKey,
  type RevokedKey,
} from '../keys/keys.ts'
import { parseFutureInstant, parsePastInstant } from '../instants/parse-instant.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { instantOption } from './instant-option.ts'
import { findPrunableVersions, pruneVersions, requirePastInstant, type PrunableVersions } from '../prune.ts'
import { accountId, requireAccount } from '../accounts/resolve-account.ts'
import { callMirror, withMirror, type AccountFilter, type MirrorOptions } from './with-mirror.ts'

export interface AcceptRejectsOptions extends AccountFilter {
  /** The SHA-256 of each item, or hexadecimal digits with which it begins: eight or more. */
  readonly sha256: readonly string[]
  /** Only rejects of this event's list. */
  readonly event?: string
  /** Withdraws an acceptance. */
  readonly revoke?: boolean
}

/**
 * Marks rejects that the owner can live with, all that are named or none: later runs are good in spite of them.
 *
 * @returns what is accepted now, or was until now
 * @throws UsageError when one is not found, or several begin with the same digits
 */
export async function acceptRejects(options: AcceptRejectsOptions): Promise<readonly AcceptedReject[]> {
  checkOptions(options, 'sha256')
  const { sha256, account, event, revoke = false } = options
  const prefixes = sha256.map(parseHashPrefix)
  if (prefixes.length === 0) throw new UsageError('The option `sha256` must name one item at least.')
  const input = { prefixes, account: account ?? null, event_id: event ?? null, revokes: revoke }
  return callMirror(options, acceptRejectsCall, input)
}

export interface CreateKeyOptions extends MirrorOptions {
  /** The account that the key opens; when not given `default`, or the only one of the mirror. */
  readonly account?: string
  /** What the key is for; 200 characters at most. */
  readonly label?: string
  /** A `Date`, an instant like `2030-01-01T12:00:00Z`, or a time from now like `90d`; a key without one never expires. */
  readonly expiresAt?: Date | string
}

/**
 * Makes a key for `createService`. Nobody can read it again: the mirror keeps only its hash.
 *
 * @throws UsageError when there is no such account, or an option cannot be used
 */
export async function createKey(options: CreateKeyOptions): Promise<CreatedKey> {
  checkOptions(options)
  const { account, label, expiresAt } = options
  return callMirror(options, createKeyCall, {
    account: account ?? null,
    label: label === undefined ? null : parseOption('label', () => name(label)),
    expires: expiresAt === undefined ? null : instantOption('expiresAt', expiresAt, parseFutureInstant),
  })
}

/**
 * The keys that were made, with their state; never a key itself.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function listKeys(options: AccountFilter): Promise<readonly ListedKey[]> {
  checkOptions(options)
  return callMirror(options, keysCall, { account: options.account ?? null })
}

export interface RevokeKeyOptions extends AccountFilter {
  /** As `createKey` and `listKeys` give it. */
  readonly id: number
}

/**
 * Revokes a key for good.
 *
 * @throws UsageError when there is no such key
 */
export async function revokeKey(options: RevokeKeyOptions): Promise<RevokedKey> {
  checkOptions(options, 'id')
  const id = requireWholeNumber('id', options.id, 1)
  return callMirror(options, revokeKeyCall, { id, account: options.account ?? null })
}

/** Every account, and what the mirror has of it. */
export async function listAccounts(options: MirrorOptions): Promise<readonly Omit<AccountSummary, 'id'>[]> {
  checkOptions(options)
  const accounts = await callMirror(options, accountsCall, {})
  return accounts.map(({ id: _, ...account }) => account)
}

export interface RenameAccountOptions extends MirrorOptions {
  readonly account: string
  readonly newName: string
  readonly signal?: AbortSignal
}

/**
 * Renames an account; its runs and keys stay. Change the option `account` of later runs, too.
 *
 * @throws UsageError when there is no such account, or the name is taken; AccountLockedError while a run holds it
 */
export async function renameAccount(options: RenameAccountOptions): Promise<void> {
  checkOptions(options, 'account', 'newName')
  const { account: from, newName, signal = NEVER } = options
  const to = parseNewName(newName)
  const interrupted = 'The renaming was interrupted: the account has its former name.'
  return withMirror({ ...options, interrupted }, 'write', (database) =>
    renameAccountInMirror(database, { from, to, signal }),
  )
}

export interface RemoveAccountOptions extends MirrorOptions {
  readonly account: string
  /** Ends it between two transactions; the next call continues. */
  readonly signal?: AbortSignal
}

/**
 * Deletes an account with all that the mirror has of it, history and keys included, without asking.
 *
 * @returns how many rows were deleted
 * @throws UsageError when there is no such account; AccountLockedError while a run holds it
 */
export async function removeAccount(options: RemoveAccountOptions): Promise<number> {
  checkOptions(options, 'account')
  const { account, signal = NEVER } = options
  const interrupted = 'The removal was interrupted; the next call continues it.'
  return withMirror({ ...options, interrupted }, 'write', async (database) =>
    removeAccountById(database, await accountId(database, account), signal),
  )
}

export interface PruneOptions extends AccountFilter {
  /** Former versions that ended before it are deleted: a `Date`, an instant, a date, or an age like `90d`. */
  readonly historyBefore: Date | string
  /** Deletes nothing, and says what it would delete. */
  readonly dryRun?: boolean
  /** Ends it between two transactions; the next call continues. */
  readonly signal?: AbortSignal
}

export interface PruneReport {
  readonly history_before: string
  /** Whether something was deleted. */
  readonly pruned: boolean
  readonly tables: readonly Omit<PrunableVersions, 'account_id'>[]
}

/**
 * Deletes former versions of rows that ended before a moment, without asking. The live rows stay.
 *
 * @throws UsageError when the moment is yet to come, or the mirror has no account of this name
 */
export async function prune(options: PruneOptions): Promise<PruneReport> {
  checkOptions(options, 'historyBefore')
  const { account = null, dryRun = false, signal = NEVER } = options
  const moment = instantOption('historyBefore', options.historyBefore, parsePastInstant)
  const work = async (database: Database): Promise<PruneReport> => {
    await requireAccount(database, account)
    const [before, found] = await database.transaction(
      async (trx) => {
        const before = await requirePastInstant(trx, moment)
        return [before, await findPrunableVersions(trx, account, before)] as const
      },
      { readOnly: true },
    )
    const pruned = !dryRun && found.length > 0
    if (pruned) await pruneVersions(database, found, before, signal)
    return { history_before: before, pruned, tables: found.map(({ account_id: _, ...table }) => table) }
  }
  const interrupted = 'The pruning was interrupted; the next call continues it.'
  return withMirror({ ...options, interrupted }, dryRun ? 'read' : 'write', work)
}
