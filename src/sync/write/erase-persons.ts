/** Erases people from an account: those of the suppression list of whom something may still be held. */
import { sql } from 'kysely'
import type { Database } from '../../db/connect.ts'
import type { ErasedCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import {
  eraseEvent,
  findEventsOf,
  noneErased,
  readEmailKeys,
  readEventIds,
  type EventEmailKey,
} from '../../load/write/erase.ts'
import { eraseTexts } from '../../load/write/erase-texts.ts'
import { readSuppressedResponses, type StoredSuppression } from '../../load/state/suppressions.ts'
import { rereadWithoutAddresses } from '../open/field-rules.ts'
import { openSuppressions } from '../open/suppressions.ts'
import type { RunContext } from '../run-context.ts'
import { hashBehind } from '../../normalise/suppression/pseudonym.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { Suppressions } from '../../normalise/suppression/suppressions.ts'

/** Events whose addresses are read with one statement. */
const EVENTS_PER_READ = 100

export interface ErasureContext {
  readonly database: Database
  readonly account: number
  /** null: nobody is known by an address, but by the ids of responses alone. */
  readonly key: PersonKey | null
  /** Each transaction makes sure that the account is still held. */
  write<T>(work: (trx: Transaction) => Promise<T>): Promise<T>
  readonly signal: AbortSignal
  /** Called after each event. */
  readonly onEvent?: (done: number, total: number) => void
}

/**
 * Erases everything that is held of these people, in one transaction an event. Whoever is broken off leaves the rest to the next call.
 *
 * @param emailKeys the addresses when they are known; null: every address in the account is hashed and compared
 * @param erased what was erased until now, also when it throws
 */
export async function erasePersons(
  context: ErasureContext,
  unfinished: readonly StoredSuppression[],
  emailKeys: readonly string[] | null,
  erased = noneErased(),
): Promise<ErasedCounts> {
  const { database, account, key, signal } = context
  const hashes = new Set(unfinished.flatMap(({ email_hash }) => email_hash ?? []))
  const found = await findAddresses(context, hashes, emailKeys)
  const responses = await readSuppressedResponses(database.kysely, account)
  const byEvent = new Map<string, Map<string, string>>(
    [...responses.keys()].map((event_id) => [event_id, new Map()]),
  )
  for (const { event_id, email_key, email_hash } of found) {
    const ofEvent = byEvent.get(event_id) ?? new Map<string, string>()
    byEvent.set(event_id, ofEvent.set(email_key, email_hash))
  }
  let done = 0
  for (const [event_id, keys] of byEvent) {
    signal.throwIfAborted()
    const counts = await context.write((trx) => eraseEvent(trx, account, event_id, keys))
    if (counts.responses + counts.versions > 0) erased.events += 1
    erased.responses += counts.responses
    erased.versions += counts.versions
    done += 1
    context.onEvent?.(done, byEvent.size)
  }
  signal.throwIfAborted()
  const suppressions = new Suppressions(key, hashes, await readSuppressedResponses(database.kysely, account))
  Object.assign(erased, await context.write((trx) => eraseTexts(trx, account, suppressions)))
  await context.write(async (trx) => {
    await rereadWithoutAddresses(trx, account)
    await markErased(trx, unfinished)
  })
  return erased
}

/** Goes on with erasures that were broken off, before anything is read: a list that changed would bring names into history. */
export async function finishErasures({ mirror, initial, settings, signal }: RunContext): Promise<void> {
  const { personKey: key } = settings
  if (initial.unfinished.length === 0 || mirror.plan !== null) return
  const { database } = mirror
  const account = mirror.account.id
  // guard: erasure goes on
  const erased = await erasePersons(
    { database, account, key, signal, write: (work) => mirror.write(work) },
    initial.unfinished,
    null,
  )
  initial.suppressions = (await openSuppressions(database.kysely, mirror.account, key)).suppressions
  settings.logger.info(
    {},
    `An erasure that was broken off was ended: ${erased.responses} responses and ${erased.versions} former versions.`,
  )
}

/** An address of one of these people. */
interface FoundAddress extends EventEmailKey {
  readonly email_hash: string
}

async function findAddresses(
  context: ErasureContext,
  hashes: ReadonlySet<string>,
  emailKeys: readonly string[] | null,
): Promise<readonly FoundAddress[]> {
  const { database, account, key } = context
  if (key === null || hashes.size === 0) return []
  const found =
    emailKeys === null
      ? await scan(context, key, hashes)
      : await findEventsOf(database.kysely, account, emailKeys)
  return found.map((address) => ({ ...address, email_hash: hashBehind(address.email_key, key, hashes) }))
}

/** Hashes every address of the account. */
async function scan(
  { database, account, signal }: ErasureContext,
  key: PersonKey,
  hashes: ReadonlySet<string>,
): Promise<readonly EventEmailKey[]> {
  const found: EventEmailKey[] = []
  const events = await readEventIds(database.kysely, account)
  for (let at = 0; at < events.length; at += EVENTS_PER_READ) {
    signal.throwIfAborted()
    const addresses = await readEmailKeys(database.kysely, account, events.slice(at, at + EVENTS_PER_READ))
    found.push(...addresses.filter(({ email_key }) => hashes.has(hashBehind(email_key, key, hashes))))
  }
  return found
}

async function markErased({ kysely }: Transaction, unfinished: readonly StoredSuppression[]): Promise<void> {
  const ids = unfinished.map(({ id }) => id)
  await sql`update headcount.suppressions set erased_at = now() where id = any (${ids}::bigint[])`.execute(
    kysely,
  )
}
