import { heldRows } from '../../../common/schema/holds.ts'
import { sql } from 'kysely'
import type { IntegerText } from '../../../common/schema/tables.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { literal } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { defineCall } from '../../calls/call.ts'
import { accountFields, object, orNull, text } from '../../calls/input.ts'
import { sinceField } from '../../instants/parse-since.ts'
import { requireNotHalfRemoved } from '../../query/require-synced.ts'
import { readAccountStatuses, type QuickAccountStatus } from '../../status/account-status.ts'
import { settingsFields, type MirrorSettings } from '../../status/list-status.ts'
import { requireSince } from '../changes.ts'
import { countedRows, type Counted } from '../counted-rows.ts'
import { ofAccount, requireEvent, showAccount } from '../read-view.ts'
import {
  FRESH_MS,
  MAX_ITEMS,
  NEAR_DAYS,
  type AccountDigest,
  type Digest,
  type DigestMirror,
  type DigestMoney,
  type DigestPart,
} from './digest.ts'
import { changedParts, netChanges, readMoney } from './net-changes.ts'
import { changesOf, readPeriods, type PeriodOfAccount } from './period.ts'

const readInput = object({
  ...accountFields,
  ...settingsFields,
  /** Of one event; null: of all. */
  event: orNull(text),
  since: sinceField,
})

/** What happened, all as of one moment. */
export const digestCall = defineCall({
  name: 'digest',
  changes: false,
  readInput,
  run: (database, { account, event, since, ...settings }): Promise<Digest> =>
    ofAccount(database, account, async (trx) => {
      await requireNotHalfRemoved(trx, account)
      if (event !== null) await requireEvent(trx, event, account, { orRemoved: true })
      await requireSince(trx, since)
      const accounts: AccountDigest[] = []
      for (const period of await readPeriods(trx, since, account)) {
        const mirror = await readStanding(trx, settings, period.account)
        if (mirror !== null) accounts.push(await digestOf(trx, period, event, mirror))
      }
      return { accounts, is_news: accounts.some(isNews) }
    }),
})

/** How the mirror of this account stands now; null without such an account. */
export async function readStanding(
  trx: Transaction,
  settings: MirrorSettings,
  account: string,
): Promise<DigestMirror | null> {
  const [status] = await readAccountStatuses(trx, settings, account)
  return status === undefined ? null : standing(status)
}

/** Afterwards views show the account of the period. */
export async function digestOf(
  trx: Transaction,
  period: PeriodOfAccount,
  event: string | null,
  mirror: DigestMirror,
): Promise<AccountDigest> {
  const { account_id: _, ...told } = period
  await showAccount(trx, period.account)
  const { rows: changes } = await netChanges(period, event).execute(trx.kysely)
  return {
    ...told,
    first_readings: await countFirstReadings(trx, period, event),
    ...changedParts(changes, (entity, change) => {
      const kind = `entity = '${entity}' and change = '${change}'${change === 'insert' ? ' and not initial' : ''}`
      return { query: `select * from changes where ${changesOf(period, event)} and ${kind}` }
    }),
    money: await moneyOf(trx, period, event),
    thin_slots: await nearSlots(trx, period, event),
    mirror,
  }
}

async function countFirstReadings(
  { kysely }: Transaction,
  period: PeriodOfAccount,
  event: string | null,
): Promise<IntegerText> {
  const { rows } = await sql<{ first_readings: string }>`
    select count(*) as first_readings from headcount.changes
     where ${sql.raw(changesOf(period, event))} and run_finished_at is not null and change = 'insert' and initial`.execute(
    kysely,
  )
  return rows[0]?.first_readings ?? '0'
}

async function moneyOf(
  trx: Transaction,
  period: PeriodOfAccount,
  event: string | null,
): Promise<DigestMoney> {
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
  { account_id }: PeriodOfAccount,
  event: string | null,
): Promise<DigestPart<ViewRow<'thin_slots'>>> {
  const near = `start_date <= now() + interval '${NEAR_DAYS}days'`
  const { rows } = await sql<ViewRow<'thin_slots'> & Counted>`
    select v.*, count(*) over () as total
      from headcount.thin_slots v
     where v.account_id = ${account_id} and (${event}::text is null or v.event_id = ${event}) and ${sql.raw(near)}
     order by v.start_date, v.event_id, v.slot_name collate "C"
     limit ${MAX_ITEMS}`.execute(kysely)
  const { total, rows: items } = countedRows(rows)
  return {
    total,
    items,
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

/**
 * A payment that came, changed or went is one of its response, or of an event that went. Changes that were pruned before they were
 * told are news by themselves: nobody shall take the silence for "nothing happened".
 */
export function isNews({ begins, is_first, pruned_until, ...digest }: AccountDigest): boolean {
  // guard: pruned before it was told
  const isPruned = pruned_until !== null
  const parts = [
    digest.events_removed,
    digest.events_changed,
    digest.events_announced,
    digest.responses_withdrawn,
    digest.responses_changed,
    digest.responses_new,
  ]
  return begins || is_first || isPruned || parts.some(({ total }) => total !== '0')
}
