import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { EventItem, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { beginOfEvent, keepFormerEvents } from './history.ts'
import { incomingEvents } from './recordsets.ts'
import { noCounts, pieces, requireCount } from '../statements.ts'
import type { Writing, Written } from '../statements.ts'

/** Events whose record is not in the mirror yet, and those whose record differs from it. */
export interface DifferingEvents {
  readonly added: ReadonlySet<string>
  readonly changed: ReadonlySet<string>
}

/** Compares the records of events with the live rows; reads only. */
export async function differingEvents(
  kysely: Kysely<Tables>,
  account: number,
  events: readonly EventItem[],
): Promise<DifferingEvents> {
  const added = new Set<string>()
  const changed = new Set<string>()
  for (const piece of pieces(events)) {
    const { rows } = await sql<{ id: string; is_new: boolean }>`
      select i.id, l.id is null as is_new
        from (${incomingEvents(piece)}) i
        left join headcount.events l on l.account_id = ${account} and l.id = i.id
       where l.id is null
          or (i.title, i.event_at, i.description, i.event_type, i.location, i._extra)
             is distinct from (l.title, l.event_at, l.description, l.event_type, l.location, l._extra)`.execute(
      kysely,
    )
    for (const { id, is_new } of rows) (is_new ? added : changed).add(id)
  }
  return { added, changed }
}

/** The live records of these events. */
export async function liveEvents(
  kysely: Kysely<Tables>,
  account: number,
  ids: readonly string[],
): Promise<readonly EventItem[]> {
  const { rows } = await sql<EventItem>`
    select id, title, event_at, description, event_type, location, _extra
      from headcount.events
     where account_id = ${account} and id = any (${ids}::text[])
     order by id`.execute(kysely)
  return rows
}

/** Brings the records of events to what the service lists; equal ones are not touched. Tells which were written. */
export async function loadEvents(
  trx: Transaction,
  writing: Writing,
  events: readonly EventItem[],
): Promise<Written> {
  const { added, changed } = await differingEvents(trx.kysely, writing.account, events)
  const rows = noCounts()
  for (const piece of pieces(events.filter(({ id }) => added.has(id)))) {
    rows.events.inserted += await insertEvents(trx, writing, piece)
  }
  for (const piece of pieces(events.filter(({ id }) => changed.has(id)))) {
    await keepFormerEvents(
      trx,
      writing,
      'update',
      piece.map(({ id }) => id),
    )
    rows.events.updated += await updateEvents(trx, writing, piece)
  }
  return { rows, events: new Set([...added, ...changed]) }
}

async function insertEvents(trx: Transaction, writing: Writing, events: readonly EventItem[]) {
  const result = await sql`
    insert into headcount.events (account_id, id, title, event_at, description, event_type, location, _extra,
                                  _first_seen_at, _changed_at, _run_id)
    select ${writing.account}, id, title, event_at, description, event_type, location, _extra,
           began, began, ${writing.run}
      from (${incomingEvents(events)}) incoming
     cross join lateral (select ${beginOfEvent(writing.account)} as began) version
     order by id`.execute(trx.kysely)
  return requireCount('headcount.events, insert', events.length, result)
}

async function updateEvents(trx: Transaction, writing: Writing, events: readonly EventItem[]) {
  const result = await sql`
    update headcount.events live
       set title = i.title, event_at = i.event_at, description = i.description, event_type = i.event_type,
           location = i.location, _extra = i._extra,
           _changed_at = case when ${writing.history} then greatest(now(), live._changed_at) else live._changed_at end,
           _run_id = ${writing.run}
      from (${incomingEvents(events)}) i
     where live.account_id = ${writing.account} and live.id = i.id`.execute(trx.kysely)
  return requireCount('headcount.events, update', events.length, result)
}
