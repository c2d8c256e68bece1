/** How one event stands in the mirror, for `status --event`. */
import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { countRejects } from '../../load/state/rejects.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import type { DueReason } from '../../sync/select/polling-schedule.ts'
import {
  failingList,
  heldDeletions,
  heldEventDeletions,
  labelHolds,
  readClocks,
  readListRows,
  nextDueReason,
} from './list-status.ts'
import type { FailingList, HeldDeletions, ListRow, MirrorSettings, HeldEventDeletion } from './list-status.ts'
import { isObject, parsePlain } from '../../common/json/exact.ts'
import { readEventId } from '../../normalise/values/ids.ts'

export interface EventStatus {
  readonly account: string
  readonly event_id: string
  readonly title: string | null
  readonly event_at: Timestamp | null
  /** When its responses were last read whole, changed or not; null: never. */
  readonly last_read_at: Timestamp | null
  /** null: the next run reads it, or, when it is missing, the first run that finds it listed again. */
  readonly next_read_at: Timestamp | null
  /** Why the next run reads it; null when it does not, unless the service changes the event's own record. */
  readonly due: DueReason | null
  /** Its own deletion, when that is on hold: the event list misses it. */
  readonly missing: HeldEventDeletion | null
  /** Deletions of its responses that are on hold. */
  readonly held: readonly Omit<HeldDeletions, 'event_id' | 'title' | 'events'>[]
  /** Of its responses: how many the last reading lacked, in several pages. The next run reads them again. */
  readonly unconfirmed: number
  /** The last reading of the event list, in several pages, lacked it: the next run reads that again. */
  readonly missing_unconfirmed: boolean
  /** Its own record as listed now cannot be stored: the former one stays. */
  readonly record_rejected: boolean
  /** Items that cannot be stored, without those that were accepted. */
  readonly rejected: number
  readonly accepted: number
  readonly set_aside: number
  readonly failing: Omit<FailingList, 'event_id'> | null
}

/** One event in each account that was asked about. */
export interface EventStatuses {
  readonly events: readonly EventStatus[]
  /** The accounts that have nothing of it: its record is listed, and rejected. */
  readonly rejectedIn: readonly string[]
  /** The accounts that had it: when a run deleted it, and what history has of it. */
  readonly deleted: readonly DeletedEvent[]
}

export interface DeletedEvent {
  readonly account: string
  readonly event_id: string
  readonly title: string | null
  readonly deleted_at: Timestamp
  readonly run_id: number
  /** Responses of which history has a version. */
  readonly responses: number
}

/** The event in every account that has it, or in the one of this name; what is due and how long is held depends on the settings of the next run. */
export async function readEventStatuses(
  trx: Transaction,
  eventId: string,
  { maxStalenessMs, holdForMs }: MirrorSettings,
  account: string | null,
): Promise<EventStatuses> {
  // The event list itself is kept under the empty id.
  if (eventId === EVENT_LIST_KEY) return { events: [], rejectedIn: [], deleted: [] }
  const { kysely } = trx
  const time = { ...(await readClocks(kysely)), holdForMs }
  const accounts = await kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name'])
    .$if(account !== null, (query) => query.where('name', '=', account))
    .orderBy('id')
    .execute()
  const events: EventStatus[] = []
  const rejectedIn: string[] = []
  const deleted: DeletedEvent[] = []
  for (const { id, name } of accounts) {
    const [list] = await readListRows(kysely, [id], eventId)
    const isRejected = await isEventRejected(kysely, id, eventId)
    if (list === undefined) {
      if (isRejected) rejectedIn.push(name)
      const former = await readDeletedEvent(kysely, { id, name }, eventId)
      if (former !== null) deleted.push(former)
      continue
    }
    const [eventsList] = await readListRows(kysely, [id], EVENT_LIST_KEY)
    const missing = heldEventDeletions(eventsList, time).get(eventId) ?? null
    const due = missing === null ? nextDueReason(list, maxStalenessMs, time.now) : null
    const failing = failingList(list)
    events.push({
      account: name,
      event_id: eventId,
      title: list.title,
      event_at: list.event_at,
      last_read_at: list.checked_at,
      next_read_at: due === null && missing === null ? nextReadAt(list, maxStalenessMs) : null,
      due,
      missing,
      record_rejected: isRejected,
      held: (await labelHolds(trx, id, heldDeletions(list, time))).map(
        ({ event_id: _, title: __, events: ___, ...held }) => held,
      ),
      unconfirmed: list.unconfirmed_absences?.length ?? 0,
      missing_unconfirmed: eventsList?.unconfirmed_absences?.includes(eventId) ?? false,
      ...(await countRejects(kysely, id, eventId)),
      set_aside: list.set_aside ?? 0,
      failing: failing && { failed_at: failing.failed_at, code: failing.code, message: failing.message },
    })
  }
  return { events, rejectedIn, deleted }
}

async function readDeletedEvent(
  kysely: Transaction['kysely'],
  account: { readonly id: number; readonly name: string },
  eventId: string,
): Promise<DeletedEvent | null> {
  const last = await kysely
    .selectFrom('headcount.event_history')
    .select(['valid_to', 'ended_by_run_id', sql<string | null>`document->>'title'`.as('title')])
    .where('account_id', '=', account.id)
    .where('event_id', '=', eventId)
    .where('operation', '=', 'delete')
    .orderBy('valid_to', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return null
  const { responses } = await kysely
    .selectFrom('headcount.response_history')
    .select(sql<number>`count(distinct response_id)::float8`.as('responses'))
    .where('account_id', '=', account.id)
    .where('event_id', '=', eventId)
    .executeTakeFirstOrThrow()
  return {
    account: account.name,
    event_id: eventId,
    title: last.title,
    deleted_at: last.valid_to,
    run_id: Number(last.ended_by_run_id),
    responses,
  }
}

/** The cap may have been lowered since the time was stored. */
function nextReadAt({ checked_at, next_check_at }: ListRow, maxStalenessMs: number): Timestamp | null {
  if (checked_at === null || next_check_at === null) return null
  const capped = Date.parse(checked_at) + maxStalenessMs
  return Date.parse(next_check_at) <= capped ? next_check_at : new Date(capped).toISOString()
}

/** Whether the account lists the event with a row that cannot be stored: its id stands only in the rejected item itself. */
async function isEventRejected(
  kysely: Transaction['kysely'],
  account: number,
  eventId: string,
): Promise<boolean> {
  const records = await kysely
    .selectFrom('headcount.rejects')
    .select('payload')
    .where('account_id', '=', account)
    .where('event_id', 'is', null)
    .execute()
  return records.some(({ payload }) => payload !== null && rejectedEventId(payload) === eventId)
}

/** Of an item above 64 KiB only the beginning is kept: its id is not known. */
function rejectedEventId(payload: string): string | null {
  try {
    const item = parsePlain(payload)
    return isObject(item) ? readEventId(item['id'] ?? null) : null
  } catch {
    return null
  }
}
