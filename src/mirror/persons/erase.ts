/** Erases one person from an account, and keeps them erased. */
import { sql } from 'kysely'
import { toInterruptedError } from '../../common/abort.ts'
import { HeadcountError, InterruptedError } from '../../common/errors.ts'
import type { ErasureReport } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import type { DatabaseLog } from '../../db/database.ts'
import { takeLease, type Lease } from '../../db/lease/lease.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readSuppressions, type StoredSuppression } from '../../load/state/suppressions.ts'
import { singleRow } from '../../load/statements.ts'
import { noneErased } from '../../load/write/erase.ts'
import { pseudonymOfHash } from '../../normalise/suppression/pseudonym.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { requireNotRemoved } from '../../sync/open/find-account.ts'
import { requireKeyOf } from '../../sync/open/suppressions.ts'
import { erasePersons } from '../../sync/write/erase-persons.ts'
import { inFencedTransaction } from '../../sync/write/fenced-transaction.ts'
import { accountId } from '../accounts/resolve-account.ts'
import { addEntries } from './add-entries.ts'
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
export function erasePerson(
  database: Database,
  emailKey: string,
  options: ErasureOptions,
): Promise<ErasureReport> {
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

/** An erasure that holds its account. */
interface OpenErasure {
  readonly lease: Lease
  readonly account: number
  /** Whether somebody of them was on the list before. */
  readonly isRepeated: boolean
  /** Also those whose erasure was broken off before. */
  readonly unfinished: readonly StoredSuppression[]
}

async function runErasure(
  database: Database,
  entries: readonly ImportedSuppression[],
  emailKeys: readonly string[] | null,
  options: ErasureOptions,
): Promise<ErasureReport> {
  const { key, signal, onEvent } = options
  const began = performance.now()
  const open = await beginErasure(database, entries, options)
  const { lease, account, unfinished } = open
  const erased = noneErased()
  const close = (status: ErasureReport['status']) =>
    closeErasure(database, open, {
      account: options.account,
      mode: 'erase',
      status,
      duration_ms: Math.round(performance.now() - began),
      is_repeated: open.isRepeated,
      suppressions: unfinished.map(({ id }) => Number(id)),
      erased,
    })
  try {
    await erasePersons(
      {
        database,
        account,
        key,
        write: (work) => inFencedTransaction(database, lease, work, {}),
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

async function beginErasure(
  database: Database,
  entries: readonly ImportedSuppression[],
  { account: name, key, replaceKey, signal, log }: ErasureOptions,
): Promise<OpenErasure> {
  const account = await accountId(database, name)
  const found: Pick<OpenErasure, 'isRepeated' | 'unfinished'> = { isRepeated: false, unfinished: [] }
  const lease = await takeLease(database, {
    accountId: account,
    mode: 'erase',
    namedEventsOnly: true,
    signal,
    log,
    begin: async (trx) => {
      await requireNotRemoved(trx, account, name)
      if (replaceKey) await forgetHashes(trx, account, key)
      const stored = await readHashed(trx, account)
      requireKeyOf(stored, name, key)
      const { known } = await addEntries(trx, account, key, entries)
      Object.assign(found, {
        isRepeated: known > 0,
        unfinished: (await readSuppressions(trx.kysely, account)).filter(
          ({ erased_at }) => erased_at === null,
        ),
      })
    },
  })
  return { lease, account, ...found }
}

async function readHashed({ kysely }: Transaction, account: number): Promise<readonly StoredSuppression[]> {
  return (await readSuppressions(kysely, account)).filter(({ email_hash }) => email_hash !== null)
}

async function closeErasure(
  database: Database,
  { lease }: OpenErasure,
  facts: Omit<ErasureReport, 'run_id' | 'started_at' | 'finished_at'>,
): Promise<ErasureReport> {
  await lease.stopHeartbeat()
  const work = async (trx: Transaction) => {
    const times = { started_at: lease.startedAt, finished_at: await readNow(trx) }
    const report = { run_id: Number(lease.runId), ...facts, ...times }
    await lease.close(trx, facts.status, report)
    return report
  }
  return inFencedTransaction(database, lease, work, { durable: true })
}

async function readNow({ kysely }: Transaction): Promise<string> {
  const { rows } = await sql<{ now: string }>`select now()`.execute(kysely)
  return singleRow(rows).now
}

/** The hashes of a lost key are of no use. */
async function forgetHashes({ kysely }: Transaction, account: number, key: PersonKey): Promise<void> {
  await sql`
    update headcount.suppressions set email_hash = null
     where account_id = ${account} and key_check <> ${key.check}`.execute(kysely)
}
