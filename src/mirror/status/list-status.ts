/** What the mirror knows of each list that it reads: when, whether it is due, what is held, what fails. */
import { sql } from 'kysely'
import { holdTimeLeft, timeConfirms } from '../../common/schema/holds.ts'
import type { ReportedHold, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readLabels, type LabelledRow } from '../../load/live-labels.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { number } from '../calls/input.ts'
import { holdEnd, type Clocks } from '../../sync/deletions/hold-clocks.ts'
import { dueReason, type DueReason } from '../../sync/select/polling-schedule.ts'

/** Rows of a hold that are listed by name. */
export const MAX_NAMED = 5

/** The settings of the next run, in milliseconds. */
export interface MirrorSettings {
  readonly maxStalenessMs: number
  readonly holdForMs: number
}

export const settingsFields = { maxStalenessMs: number, holdForMs: number }

/** How long deletions are held, and the clocks that decide it. */
export type HoldClocks = Pick<MirrorSettings, 'holdForMs'> & Clocks

export async function readClocks(kysely: Transaction['kysely']): Promise<Clocks> {
  const { now } = await kysely.selectNoFrom(sql<string>`now()`.as('now')).executeTakeFirstOrThrow()
  return { now, runNow: new Date().toISOString() }
}

/** Deletions that are held, with when they end. */
export interface HeldDeletions extends ReportedHold {
  /** Of the event; null of the event list, and of an event without one. */
  readonly title: string | null
  /** The first rows, at most {@link MAX_NAMED}: events with their titles, or responses with the names in them. */
  readonly first: readonly { readonly id: string; readonly label: string | null }[]
  /** Of the event list: those that it misses. null: they are responses. */
  readonly events: readonly string[] | null
  /** Runs after this moment apply them if the rows are still missing; null: only `--accept-deletions` does. */
  readonly applied_after: Timestamp | null
  /** How many such runs it takes: 2, or 1 when the last run saw already that the time has passed. */
  readonly runs_to_wait: 1 | 2 | null
  /** Whether it needs a decision: it is held for longer than `--hold-for`, or time cannot confirm it. */
  readonly overdue: boolean
}

/** Rows that the last reading of a list lacked, which came in several pages: the next run reads it again. */
export interface UnconfirmedAbsences {
  /** null: the event list itself. */
  readonly event_id: string | null
  /** When that reading was. */
  readonly since: Timestamp | null
  readonly rows: number
  /** Of the event list: those that it lacked. null: they are responses. */
  readonly events: readonly string[] | null
}

/** A list that could not be read last time. */
export interface FailingList {
  readonly event_id: string | null
  readonly failed_at: Timestamp | null
  readonly code: string
  readonly message: string
}

export type ListRow = Awaited<ReturnType<typeof readListRows>>[number]

/** Every event of these accounts and every list that is known, with what is known of it; or those of one event. */
export async function readListRows(
  kysely: Transaction['kysely'],
  accounts: readonly number[],
  eventId?: string,
) {
  const isTheirs = sql<boolean>`account_id = any (${accounts}::int[])`
  const events = kysely
    .selectFrom('headcount.events')
    .select(['account_id', 'id', 'title', 'event_at'])
    .where(isTheirs)
    .$if(eventId !== undefined, (query) => query.where('id', '=', eventId ?? ''))
    .as('event')
  const states = kysely
    .selectFrom('headcount.sync_state')
    .selectAll()
    .where(isTheirs)
    .$if(eventId !== undefined, (query) => query.where('event_id', '=', eventId ?? ''))
    .as('state')
  const rows = await kysely
    .selectFrom(events)
    .fullJoin(states, (join) =>
      join.onRef('state.account_id', '=', 'event.account_id').onRef('state.event_id', '=', 'event.id'),
    )
    .select(sql<number>`coalesce(event.account_id, state.account_id)`.as('account_id'))
    .select(['event.id', 'event.title', 'event.event_at'])
    .select(['state.event_id', 'state.checked_at', 'state.next_check_at'])
    .select([
      'state.normaliser_version',
      'state.held_deletions',
      'state.unconfirmed_absences',
      'state.set_aside',
    ])
    .select(['state.error_code', 'state.error_message', 'state.failed_at'])
    .execute()
  return rows.map((row) => ({ ...row, isEvent: row.id !== null, event_id: row.event_id ?? row.id ?? '' }))
}

/** As the next run would decide, as long as the service does not change the event's own record. */
export function nextDueReason(list: ListRow, maxStalenessMs: number, now: string): DueReason | null {
  const known = {
    ...list,
    held_deletions: list.held_deletions ?? [],
    unconfirmed_absences: list.unconfirmed_absences ?? [],
  }
  return dueReason({ event_at: list.event_at }, known, false, NORMALISER_VERSION, maxStalenessMs, now)
}

/** As they are stored, before the labels of the first rows are read. */
type UnlabelledHold = Omit<HeldDeletions, 'first'> & { readonly ids: readonly string[] }

export function heldDeletions(
  { event_id, title, held_deletions }: ListRow,
  { holdForMs, ...clocks }: HoldClocks,
): UnlabelledHold[] {
  return (held_deletions ?? []).map((stored) => {
    const { since, reason, ids } = stored
    const hold = { event_id: event_id || null, since, reason, rows: ids.length }
    const end = timeConfirms(hold) ? holdEnd(stored, clocks, holdForMs) : null
    return {
      ...hold,
      title,
      ids,
      events: event_id === EVENT_LIST_KEY ? ids : null,
      applied_after: end?.after ?? null,
      runs_to_wait: end?.runs ?? null,
      overdue: holdTimeLeft(hold, holdForMs, clocks.now) === 0,
    }
  })
}

/** Reads what people call the first rows of each hold. */
export async function labelHolds(
  trx: Pick<Transaction, 'kysely'>,
  account: number,
  holds: readonly UnlabelledHold[],
): Promise<HeldDeletions[]> {
  const first = holds.map((hold) => hold.ids.slice(0, MAX_NAMED).map((id) => ({ id, row: rowOf(hold, id) })))
  const rows = first.flat().map(({ row }) => row)
  const labelOf = await readLabels(trx, account, rows)
  return holds.map(({ ids: _, ...hold }, index) => ({
    ...hold,
    first: (first[index] ?? []).map(({ id, row }) => ({ id, label: labelOf(row) })),
  }))
}

function rowOf({ event_id }: Pick<ReportedHold, 'event_id'>, id: string): LabelledRow {
  return event_id === null ? { event_id: id } : { event_id, response_id: id }
}

export function unconfirmedAbsences(list: ListRow): readonly UnconfirmedAbsences[] {
  const { event_id, checked_at, unconfirmed_absences: ids } = list
  if (ids === null || ids.length === 0) return []
  const events = event_id === EVENT_LIST_KEY ? ids : null
  return [{ event_id: event_id || null, since: checked_at, rows: ids.length, events }]
}

/** The deletion of an event that is on hold: the event list misses it, and no run reads it until it comes back. */
export type HeldEventDeletion = Omit<HeldDeletions, 'event_id' | 'title' | 'rows' | 'events' | 'first'>

/** The events whose own deletion is on hold, by id; of the state of the event list, if there is one. */
export function heldEventDeletions(
  eventsList: ListRow | undefined,
  time: HoldClocks,
): ReadonlyMap<string, HeldEventDeletion> {
  const held = eventsList === undefined ? [] : heldDeletions(eventsList, time)
  return new Map(
    held.flatMap(({ ids, since, reason, applied_after, runs_to_wait, overdue }) =>
      ids.map((id) => [id, { since, reason, applied_after, runs_to_wait, overdue }] as const),
    ),
  )
}

export function failingList(list: ListRow): FailingList | null {
  const { event_id, failed_at, error_code, error_message } = list
  if (error_code === null) return null
  return { event_id: event_id || null, failed_at, code: error_code, message: error_message ?? '' }
}
