/** The door of a dry run: nothing is written; what would be is compared, counted and kept for the plan. */
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { EventItem, Plan, TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { differing } from '../diff/changed-responses.ts'
import { eventDifferences, responseDifferences } from '../diff/column-diff.ts'
import { differingEvents } from '../write/events.ts'
import { incomingKeys } from '../write/recordsets.ts'
import type { EventResponse } from '../write/recordsets.ts'
import type { Load } from '../loader.ts'
import { orphansOf } from '../diff/orphans.ts'
import { PlannedMatters } from './open-issues.ts'
import { PlannedRows } from './change-plan.ts'
import { EVENTS_LIST } from '../state/sync-state.ts'
import { addCounts, noCounts, pieces } from '../statements.ts'
import type { Written } from '../statements.ts'

/** A load that writes nothing, and its plan so far. */
export interface Planning extends Load {
  plan(): Plan
}

/** @param most how many rows of each kind are listed in a table's plan; all are counted. */
export function planning(most: number): Planning {
  const planned = new PlannedRows(most)
  const matters = new PlannedMatters()
  return {
    plan: () => planned.plan,
    newLists: null,
    identity: nothing,
    unchanged: nothing,
    failed: nothing,
    observations: nothing,
    events: (trx, { account }, events) => planEvents(trx, account, events, planned),
    responses: (trx, { account }, fresh, others) => planResponses(trx, account, fresh, others, planned),
    removeResponses: async (trx, { account }, keys) => {
      const counts = noCounts()
      for (const piece of pieces(keys))
        await planRemoval(trx, account, counts, sql`${incomingKeys(piece)}`, planned)
      return counts
    },
    removeEvents: async (trx, { account }, ids) => {
      const counts = noCounts()
      const ofThese = sql`
        select event_id, id from headcount.responses
         where account_id = ${account} and event_id = any (${ids}::text[])`
      await planRemoval(trx, account, counts, ofThese, planned)
      addCounts(counts, await planOrphans(trx, account, ids, planned))
      const { rows: live } = await sql<{ event_id: string }>`
        select id as event_id from headcount.events
         where account_id = ${account} and id = any (${ids}::text[])
         order by id`.execute(trx.kysely)
      counts.events.deleted += planned.add('events', 'deleted', live)
      matters.forget(ids)
      return counts
    },
    removeOrphans: (trx, account, ids) => planOrphans(trx, account, ids, planned),
    rejects: (trx, account, _run, lists) => matters.rejects(trx, account, lists),
    read: async (_trx, _account, _backfill, states) => {
      for (const { event_id, held_deletions: held } of states) {
        const ids = held.flatMap((group) => group.ids)
        if (event_id === EVENTS_LIST) {
          planned.add(
            'events',
            'held',
            ids.map((id) => ({ event_id: id })),
          )
          continue
        }
        // A list that is read once more replaces what its first reading held.
        planned.takeBackHeld(event_id, matters.heldOf(event_id))
        planned.add(
          'responses',
          'held',
          ids.map((response_id) => ({ event_id, response_id })),
        )
      }
      matters.read(states)
    },
    forgetUnlisted: (trx, account, listed) => matters.forgetUnlisted(trx, account, listed),
    openMatters: (trx, account) => matters.open(trx, account),
  }
}

/** Of a list that is read once more: its rows are planned already, and only what it lacks is planned anew. */
export function onlyRemovals(planning: Load): Load {
  const none = async (): Promise<Written> => ({ rows: noCounts(), events: new Set() })
  return { ...planning, events: none, responses: none, removeOrphans: async () => noCounts() }
}

async function nothing(): Promise<void> {}

async function planEvents(
  trx: Transaction,
  account: number,
  events: readonly EventItem[],
  planned: PlannedRows,
): Promise<Written> {
  const { added, changed } = await differingEvents(trx.kysely, account, events)
  const rows = noCounts()
  rows.events.inserted += planned.add(
    'events',
    'inserted',
    [...added].map((event_id) => ({ event_id })),
  )
  for (const piece of pieces(events.filter(({ id }) => changed.has(id)))) {
    const ids = piece.map(({ id }) => id)
    const { listed } = await eventDifferences(trx, account, piece, {
      scope: (id) => sql`${id} = any (${ids}::text[])`,
      most: null,
      values: false,
    })
    rows.events.updated += planned.differing('events', listed).updated
  }
  return { rows, events: new Set([...added, ...changed]) }
}

async function planResponses(
  trx: Transaction,
  account: number,
  fresh: readonly EventResponse[],
  others: readonly EventResponse[],
  planned: PlannedRows,
): Promise<Written> {
  const { added, changed } = await differing(trx, account, others)
  const rows = noCounts()
  for (const item of [...fresh, ...added]) planInsert(item, rows, planned)
  for (const piece of pieces(changed)) {
    const keys = piece.map(({ event_id, response }) => ({ event_id, id: response.id }))
    const { listed } = await responseDifferences(trx, account, piece, {
      scope: (id) => sql`(live.event_id, ${id}) in (${incomingKeys(keys)})`,
      most: null,
      values: false,
    })
    rows.responses.updated += planned.updateResponses(keys, listed)
    for (const table of ['payments', 'slots'] as const) {
      const counts = planned.differing(
        table,
        listed.filter((difference) => difference.table === table),
      )
      rows[table].inserted += counts.inserted
      rows[table].updated += counts.updated
      rows[table].deleted += counts.deleted
    }
  }
  return { rows, events: new Set([...fresh, ...added, ...changed].map(({ event_id }) => event_id)) }
}

function planInsert({ event_id, response }: EventResponse, rows: TableCounts, planned: PlannedRows): void {
  const key = { event_id, response_id: response.id }
  rows.responses.inserted += planned.add('responses', 'inserted', [key])
  if (response.payment !== null) rows.payments.inserted += planned.add('payments', 'inserted', [key])
  const slots = response.slots.map((_, place) => ({ ...key, position: place + 1 }))
  rows.slots.inserted += planned.add('slots', 'inserted', slots)
}

/** Responses with these keys, their payments and their slots. */
async function planRemoval(
  trx: Transaction,
  account: number,
  counts: TableCounts,
  keys: RawBuilder<unknown>,
  planned: PlannedRows,
): Promise<void> {
  for (const table of ['responses', 'payments', 'slots'] as const) {
    const id = sql.ref(table === 'responses' ? 'live.id' : 'live.response_id')
    const going = sql`
      ${sql.table(`headcount.${table}`)} live
        join (${keys}) k on live.event_id = k.event_id and ${id} = k.id
       where live.account_id = ${account}`
    counts[table].deleted += await planDeleted(trx, table, going, planned)
  }
}

async function planOrphans(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
  planned: PlannedRows,
): Promise<TableCounts> {
  const counts = noCounts()
  for (const table of event_ids.length === 0 ? [] : (['payments', 'slots'] as const)) {
    counts[table].deleted += await planDeleted(trx, table, orphansOf(table, account, event_ids), planned)
  }
  return counts
}

/** @param going what stands after `from`: the rows that go, under the name `live`. */
async function planDeleted(
  trx: Transaction,
  table: 'responses' | 'payments' | 'slots',
  going: RawBuilder<unknown>,
  planned: PlannedRows,
): Promise<number> {
  const id = sql.ref(table === 'responses' ? 'live.id' : 'live.response_id')
  const place = table === 'slots' ? sql.ref('live.position') : sql`null::int`
  const { rows } = await sql<{ event_id: string; id: string; place: number | null; total: number }>`
    select live.event_id, ${id} as id, ${place} as place, (count(*) over ())::int as total
      from ${going}
     order by 1, 2, 3
     limit ${planned.room(table, 'deleted')}`.execute(trx.kysely)
  const keys = rows.map(({ event_id, id, place }) => ({
    event_id,
    response_id: id,
    ...(place !== null && { position: place }),
  }))
  return planned.add(table, 'deleted', keys, rows[0]?.total ?? 0)
}
