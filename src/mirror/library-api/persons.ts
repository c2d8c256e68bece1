/** Personal data of one person, as the commands of `headcount person` treat them. */
import { NEVER } from '../../common/abort.ts'
import type { Database } from '../../db/connect.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import type { ErasureReport } from '../../common/schema/tables.ts'
import { parsePlain } from '../../common/json/exact.ts'
import { logTo, personKeyOf } from '../../sync/options.ts'
import { resolveAccount } from '../accounts/resolve-account.ts'
import { eraseImported, erasePerson as eraseFromMirror, requirePersonKey } from '../persons/erase.ts'
import { planErasure as planInMirror, type ErasurePlan } from '../persons/plan-erasure.ts'
import { restorePerson as restoreInMirror, type RestoreReport } from '../persons/restore.ts'
import { requireKeyOfAddresses, searchKey } from '../persons/search.ts'
import { emailKeyOf, personCall, type PersonRecord } from '../persons/show.ts'
import {
  exportSuppressions as exportFromMirror,
  parseListOf,
  type SuppressionFile,
} from '../persons/suppression-file.ts'
import { NOT_VACUUMED, vacuumErased, type Vacuumed } from '../persons/vacuum.ts'
import { callMirror, readMirror, withMirror, type AccountFilter } from './with-mirror.ts'

export interface PersonOptions extends AccountFilter {
  /** An e-mail address in any spelling of upper and lower case. */
  readonly email: string
  /** Of a mirror that stores pseudonyms: without it nobody is found by an address. */
  readonly personKey?: string
}

/**
 * Everything that the mirror holds of one person: live responses, former versions, and other places that name the address. Reads the
 * whole mirror.
 *
 * @throws UsageError when the mirror has no account of this name, or the text is no address
 */
export async function person(options: PersonOptions): Promise<PersonRecord> {
  checkOptions(options, 'email')
  const { account = null, email, personKey } = options
  return callMirror(options, personCall, { account, email, ...searchKey(email, personKeyOf(personKey)) })
}

/**
 * What `erasePerson` would erase.
 *
 * @throws as person
 */
export async function planErasure(options: PersonOptions): Promise<ErasurePlan> {
  checkOptions(options, 'email')
  const key = personKeyOf(options.personKey)
  return readMirror(options, async (database) => {
    const account = await resolveAccount(database, options.account ?? null)
    await requireKeyOfAddresses(database, account, key)
    return planInMirror(database, account, options.email, key)
  })
}

export interface ErasureChoices {
  /** The key of the suppression list, 32 characters or more; every later `sync`, `backfill` and `verify` needs it. */
  readonly personKey: string
  /** The key is a new one, for the former is lost: who was erased before is known by the ids of the responses alone. */
  readonly replaceKey?: boolean
  /** Writes the tables anew at the end, so that their files hold nothing of the person; true when not given. */
  readonly vacuum?: boolean
  /** Ends it between two events; the next call, or the next sync, continues. */
  readonly signal?: AbortSignal
}

export type ErasePersonOptions = PersonOptions & ErasureChoices

export type EraseSuppressedOptions = AccountFilter &
  ErasureChoices & {
    /** What `exportSuppressions` gave. */
    readonly suppressions: SuppressionFile
  }

/** The report of an erasure, and the tables that were written anew. */
export type ErasureReceipt = ErasureReport & Vacuumed

/**
 * Erases one person from one account without asking, and keeps them erased: `default` when none is named, or the only one.
 *
 * @throws UsageError when the key is missing, too short or another one than before; AccountLockedError while a run holds the account
 */
export async function erasePerson(options: ErasePersonOptions): Promise<ErasureReceipt> {
  checkOptions(options, 'email', 'personKey')
  return erase(options, async (database, erasure) =>
    eraseFromMirror(database, await emailKeyOf(database, options.email), erasure),
  )
}

/**
 * Erases everybody on a suppression list that was kept outside of the mirror: after a backup was restored.
 *
 * @throws as erasePerson; UsageError when the list is faulty, was made with another key, or is that of another account
 */
export async function eraseSuppressed(options: EraseSuppressedOptions): Promise<ErasureReceipt> {
  checkOptions(options, 'suppressions', 'personKey')
  return erase(options, (database, erasure) => {
    const document = parsePlain(JSON.stringify(options.suppressions))
    const list = parseListOf(erasure.account, { source: 'The option `suppressions`', document }, erasure.key)
    return eraseImported(database, list.entries, erasure)
  })
}

type Erasure = Parameters<typeof eraseFromMirror>[2]

async function erase(
  options: AccountFilter & ErasureChoices,
  work: (database: Database, erasure: Erasure) => Promise<ErasureReport>,
): Promise<ErasureReceipt> {
  const key = requirePersonKey(personKeyOf(options.personKey))
  const { signal = NEVER, replaceKey = false, vacuum = true, logger } = options
  const carryOut = async (database: Database): Promise<ErasureReceipt> => {
    const account = await resolveAccount(database, options.account ?? null)
    const report = await work(database, { account, key, replaceKey, signal, log: logTo(logger) })
    return { ...report, ...(vacuum ? await vacuumErased(database, report, signal) : NOT_VACUUMED) }
  }
  const interrupted = 'The erasure was interrupted. What was erased until then stays erased.'
  return withMirror({ ...options, interrupted }, 'write', carryOut)
}

export type RestorePersonOptions = PersonOptions & Pick<ErasureChoices, 'personKey' | 'signal'>

/**
 * Takes a person off the suppression list: the next sync brings back what the service still sends.
 *
 * @throws as erasePerson
 */
export async function restorePerson(options: RestorePersonOptions): Promise<RestoreReport> {
  checkOptions(options, 'email', 'personKey')
  const key = requirePersonKey(personKeyOf(options.personKey))
  const { signal = NEVER, logger } = options
  const carryOut = async (database: Database): Promise<RestoreReport> => {
    const account = await resolveAccount(database, options.account ?? null)
    const emailKey = await emailKeyOf(database, options.email)
    return restoreInMirror(database, emailKey, { account, key, signal, log: logTo(logger) })
  }
  const interrupted = 'It was interrupted: the person is on the suppression list as before.'
  return withMirror({ ...options, interrupted }, 'write', carryOut)
}

/**
 * The suppression list of one account, as keyed hashes: keep it beside your backups.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function exportSuppressions(options: AccountFilter): Promise<SuppressionFile> {
  checkOptions(options)
  return readMirror(options, async (database) =>
    exportFromMirror(database, await resolveAccount(database, options.account ?? null)),
  )
}
