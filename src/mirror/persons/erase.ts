/** Erases one person from an account, and keeps them erased. */
import { sql } from 'kysely'
import { toInterruptedError } from '../../common/abort.ts'
import { commandName } from '../../common/command-name.ts'
import { HeadcountError, InterruptedError, UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { ErasureReport } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import type { DatabaseLog } from '../../db/database.ts'
import { takeLease, type Lease } from '../../db/lease/lease.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readSuppressions, type StoredSuppression } from '../../load/state/suppressions.ts'
import { noneErased } from '../../load/write/erase.ts'
import { pseudonymOfHash } from '../../normalise/suppression/pseudonym.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { requireNotRemoved } from '../../sync/open/find-account.ts'
import { requireKeyOf } from '../../sync/open/suppressions.ts'
import { erasePersons } from '../../sync/write/erase-persons.ts'
import { inFencedTransaction } from '../../sync/write/fenced-transaction.ts'
import { accountId } from '../accounts/resolve-account.ts'
import { readClocks } from '../status/list-status.ts'
import { addEntries } from './add-entries.ts'
import { requireKeyOfAddresses } from './search.ts'
import type { ImportedSuppression } from './suppression-file.ts'

export interface ErasureOptions {
  readonly account: string
  readonly key: PersonKey
  /** The former key is lost: people who were erased with it are known by the ids of their responses alone. */
  readonly replaceKey: boolean
  readonly signal: AbortSignal
  readonly log?: DatabaseLog | undefined
  /** Called after each event. */
  readonly onEvent?: (done: number, total: number) => void
}

/**
 * Erases a person, as a run of mode `erase`.
 *
 * @param emailKey as `planErasure` gives it
 * @throws AccountLockedError while a run holds the account; UsageError when the key is another one than before
 */
export async function erasePerson(
  database: Database,
  emailKey: string,
  options: ErasureOptions,
): Promise<ErasureReport> {
  if (!options.replaceKey) await requireKeyOfAddresses(database, options.account, options.key)
  const entry = { email_hash: options.key.hash(emailKey), added_at: null, responses: [] }
  return runErasure(database, [entry], [emailKey, pseudonymOfHash(entry.email_hash)], options)
}

/**
 * Erases the people of a suppression list that was kept outside of the database: after a backup was restored, or in another mirror.
 *
 * @throws as erasePerson
 */
export function eraseImported(
  database: Database,
  entries: readonly ImportedSuppression[],
  options: ErasureOptions,
): Promise<ErasureReport> {
  return runErasure(database, entries, null, options)
}

async function runErasure(
  database: Database,
  entries: readonly ImportedSuppression[],
  emailKeys: readonly string[] | null,
  options: ErasureOptions,
): Promise<ErasureReport> {
  const { key, signal, onEvent } = options
  const began = performance.now()
  const none = { isRepeated: false, unfinished: [] as readonly StoredSuppression[] }
  const { lease, account, isRepeated, unfinished } = await changeList(
    database,
    options,
    none,
    async (trx, account) => {
      const { known } = await addEntries(trx, account, key, entries)
      const stored = await readSuppressions(trx.kysely, account)
      // Also those whose erasure was broken off before.
      return { isRepeated: known > 0, unfinished: stored.filter(({ erased_at }) => erased_at === null) }
    },
  )
  const erased = noneErased()
  const close = (status: ErasureReport['status']) =>
    closeErasure(database, lease, {
      account: options.account,
      mode: 'erase',
      status,
      duration_ms: Math.round(performance.now() - began),
      is_repeated: isRepeated,
      suppressions: unfinished.map(({ id }) => Number(id)),
      erased,
    })
  try {
    await erasePersons(
      {
        database,
        account,
        key,
        write: (work) => inFencedTransaction(database, lease, work, { batch: true }),
        signal: AbortSignal.any([signal, lease.lost]),
        ...(onEvent !== undefined && { onEvent }),
      },
      unfinished,
      unfinished.length > entries.length ? null : emailKeys,
      erased,
    )
  } catch (cause) {
    if (lease.lost.aborted) throw lease.lost.reason
    const error = toInterruptedError(signal, cause, 'The erasure was interrupted.')
    await close(error instanceof InterruptedError ? 'interrupted' : 'failed').catch(() => {})
    if (error instanceof HeadcountError) {
      error.message +=
        ' What was erased until then stays erased; run the command again, or the next sync goes on.'
    }
    throw error
  }
  return close('succeeded')
}

/**
 * Takes the account, and changes its suppression list in the same transaction.
 *
 * @param none what is given when nothing was changed
 * @throws AccountLockedError while a run holds the account; UsageError when the key is another one than before
 */
export async function changeList<Found extends object>(
  database: Database,
  { account: name, key, replaceKey, signal, log }: Omit<ErasureOptions, 'onEvent'>,
  none: Found,
  change: (trx: Transaction, account: number) => Promise<Found>,
): Promise<Found & { readonly lease: Lease; readonly account: number }> {
  const account = await accountId(database, name)
  let found = none
  const lease = await takeLease(database, {
    accountId: account,
    mode: 'erase',
    namedEventsOnly: true,
    signal,
    log,
    begin: async (trx) => {
      await requireNotRemoved(trx, account, name)
      if (replaceKey) await forgetHashes(trx, account, key)
      const stored = await readSuppressions(trx.kysely, account)
      const hashed = stored.filter(({ email_hash }) => email_hash !== null)
      requireKeyOf(hashed, name, key)
      found = await change(trx, account)
    },
  })
  return { ...found, lease, account }
}

async function closeErasure(
  database: Database,
  lease: Lease,
  facts: Omit<ErasureReport, 'run_id' | 'started_at' | 'finished_at'>,
): Promise<ErasureReport> {
  await lease.stopHeartbeat()
  const work = async (trx: Transaction) => {
    const times = { started_at: lease.startedAt, finished_at: (await readClocks(trx.kysely)).now }
    const report = { run_id: Number(lease.runId), ...facts, ...times }
    await lease.close(trx, facts.status, report)
    return report
  }
  return inFencedTransaction(database, lease, work, { batch: true, durable: true })
}

/** The hashes of a lost key are of no use. */
async function forgetHashes({ kysely }: Transaction, account: number, key: PersonKey): Promise<void> {
  await sql`
    update headcount.suppressions set email_hash = null
     where account_id = ${account} and key_check <> ${key.check}`.execute(kysely)
}

/** @throws UsageError when there is none */
export function requirePersonKey(key: PersonKey | null): PersonKey {
  if (key !== null) return key
  throw new UsageError(
    `person erase and restore need the key of the suppression list: set ${optionName('personKey')}. ` +
      `Make one with: (umask 077; openssl rand -hex 32 > person.key). Keep it with your other secrets, not in the database, and ` +
      `give it to every ${commandName()} sync from then on.`,
  )
}
