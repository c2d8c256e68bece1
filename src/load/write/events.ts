import { sql, type Kysely } from 'kysely'
import type { EventItem, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { archiveEvents } from './history.ts'
import { insertRows, updateRows } from './live-rows.ts'
import { columnList, eventRecordset, isDistinct } from './recordsets.ts'
import { noCounts, chunkRows, type WriteOptions, type WriteResult } from '../statements.ts'

/** The ids of events without a live row, and of those whose live row differs; reads only. */
export async function changedEvents(
  kysely: Kysely<Tables>,
  account: number,
  events: readonly EventItem[],
): Promise<{ readonly added: ReadonlySet<string>; readonly changed: ReadonlySet<string> }> {
  const added = new Set<string>()
  const changed = new Set<string>()
  for (const chunk of chunkRows(events)) {
    const { rows } = await sql<{ id: string; is_new: boolean }>`
      select i.id, l.id is null as is_new
        from (${eventRecordset(chunk)}) i
        left join headcount.events l on l.account_id = ${account} and l.id = i.id
       where l.id is null
          or ${isDistinct('events', 'i', 'l')}`.execute(kysely)
    for (const { id, is_new } of rows) (is_new ? added : changed).add(id)
  }
  return { added, changed }
}

export async function liveEvents(
  kysely: Kysely<Tables>,
  account: number,
  ids: readonly string[],
): Promise<readonly EventItem[]> {
  const { rows } = await sql<EventItem>`
    select ${columnList('events')}
      from headcount.events
     where account_id = ${account} and id = any (${ids}::text[])
     order by id`.execute(kysely)
  return rows
}

/** Makes the live event rows equal to these; equal rows are not written. */
export async function upsertEvents(
  trx: Transaction,
  options: WriteOptions,
  events: readonly EventItem[],
): Promise<WriteResult> {
  const { added, changed } = await changedEvents(trx.kysely, options.account, events)
  const rows = noCounts()
  const incoming = (chunk: readonly EventItem[]) => ({ count: chunk.length, rows: eventRecordset(chunk) })
  for (const chunk of chunkRows(events.filter(({ id }) => added.has(id)))) {
    rows.events.inserted += await insertRows(trx, options, 'events', incoming(chunk))
  }
  for (const chunk of chunkRows(events.filter(({ id }) => changed.has(id)))) {
    await archiveEvents(trx, options, 'update', chunk)
    rows.events.updated += await updateRows(trx, options, 'events', incoming(chunk))
  }
  return { rows, events: new Set([...added, ...changed]) }
}
