/** How many people the owner wants for a slot. */
import { sql } from 'kysely'
import { requireEvent } from '../answers/read-view.ts'
import { commandName } from '../../common/command-name.ts'
import { nearestName } from '../../common/text/did-you-mean.ts'
import { UsageError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import type { Transaction } from '../../db/transaction.ts'
import { accountId, lockAccount, resolveAccount } from '../accounts/resolve-account.ts'
import { defineAccountList, defineChange } from '../calls/call.ts'
import { accountFields, number, object, orNull, text, type ValueOf } from '../calls/input.ts'
import { requireStorable } from './storable-text.ts'

/** Of what an `int` holds. */
export const MAX_WANTED = 2_147_483_647

const MAX_SLOT_NAME_BYTES = 1_000_000
/** A longer name is no word that somebody mistyped. */
const MAX_SIMILAR_CHARACTERS = 200
const MAX_SIMILAR = 10_000

/** Which slots of an account are meant: of an event or, with null, of every event; of this name or, with null, of any. */
export interface SlotScope {
  readonly event_id: string | null
  readonly slot_name: string | null
}

export interface SlotTarget extends SlotScope {
  readonly account: string
  readonly wanted: number
}

export interface ListedSlotTarget extends SlotTarget {
  /** null without an event, and of one that is no longer listed. */
  readonly event_title: string | null
}

/** The targets of one account, or of all; the most general first. */
async function listSlotTargets(
  { kysely }: Transaction,
  account: string | null,
): Promise<readonly ListedSlotTarget[]> {
  return kysely
    .selectFrom('headcount.slot_targets as target')
    .innerJoin('headcount.accounts as account', 'account.id', 'target.account_id')
    .leftJoin('headcount.events as event', (join) =>
      join.onRef('event.account_id', '=', 'target.account_id').onRef('event.id', '=', 'target.event_id'),
    )
    .select(['account.name as account', 'target.event_id', 'target.slot_name', 'target.wanted'])
    .select('event.title as event_title')
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('target.event_id', (order) => order.asc().nullsFirst())
    .orderBy(sql`target.slot_name collate "C"`, (order) => order.asc().nullsFirst())
    .execute()
}

export const slotTargetsCall = defineAccountList('slot-targets', listSlotTargets)

/** Without an account the one that is meant when none is named. */
const scopeFields = { ...accountFields, event_id: orNull(text), slot_name: orNull(text) }

export type RemoveSlotTargetInput = ValueOf<typeof scopeFields>

export interface SetSlotTarget extends SlotTarget {
  /** null: there was none. */
  readonly former_wanted: number | null
  /** Whether the target names a slot that no response has now. */
  readonly is_unknown_slot: boolean
  /** The name of a slot most like it, when the slot is unknown; null when there is no slot at all. */
  readonly nearest: string | null
}

export const setSlotTargetCall = defineChange(
  'set-slot-target',
  object({ ...scopeFields, wanted: number }),
  async (trx, input) => setSlotTarget(trx, { ...input, account: await resolveAccount(trx, input.account) }),
)

/**
 * Says how many people are wanted, also for a slot that nobody takes.
 *
 * @throws UsageError when there is no such account; UnknownEventError, with the nearest event
 */
async function setSlotTarget(trx: Transaction, target: SlotTarget): Promise<SetSlotTarget> {
  const { account, event_id, slot_name, wanted } = target
  if (slot_name !== null) requireStorable('The name of the slot', slot_name, MAX_SLOT_NAME_BYTES)
  const id = await lockAccount(trx, account)
  if (event_id !== null) await requireEvent(trx, event_id, account, { outcome: ' Nothing was changed.' })
  const { rows } = await sql<{ former_wanted: number | null }>`
    with former as (select wanted from headcount.slot_targets where ${isTarget(id, target)})
    insert into headcount.slot_targets (account_id, event_id, slot_name, wanted)
    values (${id}, ${event_id}, ${slot_name}, ${wanted})
    on conflict (account_id, event_id, headcount_internal.sha256_of(slot_name)) do update set wanted = excluded.wanted
    returning (select wanted from former) as former_wanted`.execute(trx.kysely)
  const is_unknown_slot = slot_name !== null && !(await isTaken(trx, id, event_id, slot_name))
  return {
    ...target,
    former_wanted: rows[0]?.former_wanted ?? null,
    is_unknown_slot,
    nearest: is_unknown_slot ? await nearestSlot(trx, id, event_id, slot_name) : null,
  }
}

export const removeSlotTargetCall = defineChange(
  'remove-slot-target',
  object(scopeFields),
  async (trx, input) =>
    removeSlotTarget(trx, { ...input, account: await resolveAccount(trx, input.account) }),
)

/**
 * Removes a target: the next more general one counts, or 2.
 *
 * @returns what it was
 * @throws UsageError, with the nearest one, when there is none
 */
async function removeSlotTarget(
  trx: Transaction,
  { account, event_id, slot_name }: Omit<SlotTarget, 'wanted'>,
): Promise<SlotTarget> {
  const scope = { event_id, slot_name }
  const id = await accountId(trx, account)
  const { rows } = await sql<{ wanted: number }>`
    delete from headcount.slot_targets where ${isTarget(id, scope)} returning wanted`.execute(trx.kysely)
  const [removed] = rows
  if (removed !== undefined) return { account, ...scope, ...removed }
  const targets = await trx.kysely
    .selectFrom('headcount.slot_targets')
    .select(['event_id', 'slot_name'])
    .where('account_id', '=', id)
    .limit(MAX_SIMILAR)
    .execute()
  const nearest =
    targets.length === 0
      ? 'it has none'
      : `the nearest is that for ${nearestName(describeScope(scope), targets.map(describeScope))}`
  throw new UsageError(
    `Account ${quote(account)} has no target for ${describeScope(scope)}: ${nearest}. See all with: ${commandName()} slot-targets.`,
  )
}

/** Which slots they are, in words. */
export function describeScope({ event_id, slot_name }: SlotScope): string {
  const slot = slot_name === null ? 'every slot' : `slot ${quote(slot_name)}`
  return event_id === null ? `${slot} of every event` : `${slot} of event ${quote(event_id)}`
}

function isTarget(account: number, { event_id, slot_name }: SlotScope) {
  return sql`
    account_id = ${account} and event_id is not distinct from ${event_id}
    and slot_name is not distinct from ${slot_name}`
}

function ofEvent(account: number, event: string | null) {
  return event === null ? sql`account_id = ${account}` : sql`account_id = ${account} and event_id = ${event}`
}

async function isTaken({ kysely }: Transaction, account: number, event: string | null, name: string) {
  const { rows } = await sql`
    select from headcount.slots where ${ofEvent(account, event)} and name = ${name} limit 1`.execute(kysely)
  return rows.length > 0
}

/** Of all names of slots there, the one most like this one; null without any. */
async function nearestSlot({ kysely }: Transaction, account: number, event: string | null, name: string) {
  const { rows } = await sql<{ name: string }>`
    select name
      from headcount.slots
     where ${ofEvent(account, event)} and char_length(name) <= ${MAX_SIMILAR_CHARACTERS}
     group by 1 order by count(*) desc, name collate "C" limit ${MAX_SIMILAR}`.execute(kysely)
  const names = rows.map((row) => row.name)
  return names.length === 0 ? null : nearestName(name, names)
}
