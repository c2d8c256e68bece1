import { heldRows } from '../../../common/schema/holds.ts'
import { sql } from 'kysely'
import type { IntegerText } from '../../../common/schema/tables.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { literal } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { defineCall } from '../../calls/call.ts'
import { inputFields } from '../../calls/input.ts'
import type { Since } from '../../instants/parse-since.ts'
import { readAccountStatuses, type QuickAccountStatus } from '../../status/account-status.ts'
import type { MirrorSettings } from '../../status/list-status.ts'
import { readSince, requireKnown, requireRun } from '../changes.ts'
import { ofAccount, type AccountInput } from '../read-view.ts'
import {
  FRESH_MS,
  MAX_ITEMS,
  NEAR_DAYS,
  type AccountDigest,
  type Digest,
  type DigestEvent,
  type DigestMirror,
  type DigestMoney,
  type DigestPart,
  type DigestResponse,
} from './digest.ts'
import { readMoney, readNetChanges, type NetChange } from './net-changes.ts'
import { changesOf, readPeriods, type Period } from './period.ts'

export interface DigestInput extends AccountInput, MirrorSettings {
  readonly since: Since
  /** Of one event; null: of all. */
  readonly event: string | null
}

/** What happened, all as of one moment. */
export const digestCall = defineCall<DigestInput, Digest>({
  name: 'digest',
  changes: false,
  readInput: (json) => {
    const fields = inputFields(json)
    return {
      account: fields.textOrNull('account'),
      event: fields.textOrNull('event'),
      since: readSince(json),
      maxStalenessMs: fields.number('maxStalenessMs'),
      holdForMs: fields.number('holdForMs'),
    }
  },
  run: (database, { account, event, since, ...settings }) =>
    ofAccount(database, account, async (trx) => {
      if (event !== null) await requireKnown(trx, event, account)
      if (typeof since === 'object' && 'run' in since) await requireRun(trx, since.run)
      const accounts = await readDigests(trx, await readPeriods(trx, since, account), event, settings)
      return { accounts, is_news: accounts.some(isNews) }
    }),
})

/** A digest for each period, of one event or of all. Afterwards views show the account of the last one. */
export async function readDigests(
  trx: Transaction,
  periods: readonly Period[],
  event: string | null,
  settings: MirrorSettings,
): Promise<readonly AccountDigest[]> {
  const digests: AccountDigest[] = []
  for (const period of periods) {
    const [status] = await readAccountStatuses(trx, settings, period.account)
    if (status !== undefined) digests.push(await digestOf(trx, period, event, standing(status)))
  }
  return digests
}

async function digestOf(
  trx: Transaction,
  { account_id, ...period }: Period,
  event: string | null,
  mirror: DigestMirror,
): Promise<AccountDigest> {
  const own = { account_id, ...period }
  // The views show this account alone.
  await sql`select set_config('headcount.account', ${period.account}, true)`.execute(trx.kysely)
  const changes = await readNetChanges(trx, own, event)
  const partOf = <Item>(
    entity: NetChange['entity'],
    change: NetChange['change'],
    item: (found: NetChange) => Item,
  ): DigestPart<Item> => {
    const found = changes.filter((one) => one.entity === entity && one.change === change)
    const kind = `entity = '${entity}' and change = '${change}'${change === 'insert' ? ' and not initial' : ''}`
    return {
      total: found[0]?.total ?? '0',
      items: found.map(item),
      query: `select * from changes where ${changesOf(own, event)} and ${kind}`,
    }
  }
  return {
    ...period,
    first_readings: await countFirstReadings(trx, own, event),
    events_removed: partOf('event', 'delete', (one) => ({ ...eventOf(one), responses: one.responses })),
    events_changed: partOf('event', 'update', (one) => ({ ...eventOf(one), fields: one.fields })),
    events_announced: partOf('event', 'insert', (one) => ({ ...eventOf(one), returned: one.returned })),
    responses_withdrawn: partOf('response', 'delete', responseOf),
    responses_changed: partOf('response', 'update', (one) => ({ ...responseOf(one), fields: one.fields })),
    responses_new: partOf('response', 'insert', responseOf),
    money: await moneyOf(trx, own, event),
    thin_slots: await nearSlots(trx, own, event),
    mirror,
  }
}

export function eventOf({ event_id, event_title, event_at }: DigestEvent): DigestEvent {
  return { event_id, event_title, event_at }
}

export function responseOf(change: NetChange): DigestResponse {
  const { name, rsvp, quantity, amount } = change
  return { ...eventOf(change), response_id: change.response_id ?? '', name, rsvp, quantity, amount }
}

async function countFirstReadings(
  { kysely }: Transaction,
  period: Period,
  event: string | null,
): Promise<IntegerText> {
  const { rows } = await sql<{ first_readings: string }>`
    select count(*) as first_readings from headcount.changes
     where ${sql.raw(changesOf(period, event))} and run_finished_at is not null and initial`.execute(kysely)
  return rows[0]?.first_readings ?? '0'
}

async function moneyOf(trx: Transaction, period: Period, event: string | null): Promise<DigestMoney> {
  const [all, ...events] = await readMoney(trx, period, event)
  const query = `select * from changes where ${changesOf(period, event)} and entity = 'response' and (record ? 'amount' or former ? 'amount')`
  return {
    payments_new: all?.payments_new ?? '0',
    payments_changed: all?.payments_changed ?? '0',
    payments_withdrawn: all?.payments_withdrawn ?? '0',
    amount: all?.amount ?? '0',
    processing_fee: all?.processing_fee ?? '0',
    total: all?.total ?? '0',
    items: events.map(({ event_id, total: _, ...found }) => ({ event_id: event_id ?? '', ...found })),
    query,
  }
}

async function nearSlots(
  { kysely }: Transaction,
  { account_id }: Period,
  event: string | null,
): Promise<DigestPart<ViewRow<'thin_slots'>>> {
  const near = `start_date <= now() + interval '${NEAR_DAYS}days'`
  const { rows } = await sql<ViewRow<'thin_slots'> & { readonly total: string }>`
    select v.*, count(*) over () as total
      from headcount.thin_slots v
     where v.account_id = ${account_id} and (${event}::text is null or v.event_id = ${event}) and ${sql.raw(near)}
     order by v.start_date, v.event_id, v.slot_name collate "C"
     limit ${MAX_ITEMS}`.execute(kysely)
  return {
    total: rows[0]?.total ?? '0',
    items: rows.map(({ total: _, ...slot }) => slot),
    query: `select * from thin_slots where account_id = ${account_id}${event === null ? '' : ` and event_id = ${literal(event)}`} and ${near}`,
  }
}

/** Whether the mirror tells all, and how old it is. */
export function standing(status: QuickAccountStatus): DigestMirror {
  const { age_ms, rejected, failing } = status
  const held = heldRows(status.held)
  const unconfirmed = heldRows(status.unconfirmed)
  return {
    whole: held + rejected + failing.length + unconfirmed === 0,
    fresh: age_ms !== null && age_ms < FRESH_MS,
    age_ms,
    held,
    rejected,
    failing: failing.length,
    unconfirmed,
  }
}

/** A payment that came, changed or went is one of its response, or of an event that went. */
export function isNews({ begins, is_first, ...digest }: AccountDigest): boolean {
  const parts = [
    digest.events_removed,
    digest.events_changed,
    digest.events_announced,
    digest.responses_withdrawn,
    digest.responses_changed,
    digest.responses_new,
  ]
  return begins || is_first || parts.some(({ total }) => total !== '0')
}
