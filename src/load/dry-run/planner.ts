/** The loader of a dry run: it compares and counts what a run would write, and writes nothing. */
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { EventItem, Plan, PlannedRow, TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { changedResponses } from '../diff/changed-responses.ts'
import { eventDifferences, responseDifferences } from '../diff/column-diff.ts'
import { changedEvents } from '../write/events.ts'
import type { ListChanges } from '../diff/list-diff.ts'
import { itemsOf, keyRecordset } from '../write/recordsets.ts'
import { countForgettable } from '../write/forget.ts'
import type { EventResponse } from '../write/recordsets.ts'
import { readLabels } from '../live-labels.ts'
import type { Loader } from '../loader.ts'
import { orphanRows } from '../diff/orphans.ts'
import { PlannedIssues } from './open-issues.ts'
import { ChangePlan } from './change-plan.ts'
import { EVENT_LIST_KEY } from '../state/sync-state.ts'
import type { AppliedState } from '../state/sync-state.ts'
import { addCounts, noCounts, chunkRows } from '../statements.ts'
import type { WriteResult } from '../statements.ts'

/** A loader that writes nothing, and its plan so far. */
export interface Planner extends Loader {
  plan(trx: Transaction, account: number): Promise<Plan>
}

/** @param maxListed how many rows of each kind a table's plan lists; all are counted */
export function createPlanner(maxListed: number): Planner {
  const planned = new ChangePlan(maxListed)
  const issues = new PlannedIssues()
  return {
    plan: async (trx, account) => {
      const labels = await readLabels(trx, account, planned.unlabelled())
      if (planned.hasLabels) planned.label(labels)
      return planned.plan
    },
    saveIdentity: skip,
    markUnchanged: skip,
    saveFailures: skip,
    saveObservations: skip,
    suppress: skip,
    forget: countForgettable,
    events: (trx, { account }, events) => planEvents(trx, account, events, planned),
    responses: (trx, { account }, lists) => planResponses(trx, account, lists, planned),
    deleteResponses: async (trx, { account }, keys) => {
      const counts = noCounts()
      for (const chunk of chunkRows(keys))
        await planRemoval(trx, account, counts, sql`${keyRecordset(chunk)}`, planned)
      return counts
    },
    deleteEvents: (trx, { account }, ids) => {
      issues.forget(ids)
      return planEventDeletions(trx, account, ids, planned)
    },
    deleteOrphans: (trx, account, ids) => planOrphans(trx, account, ids, planned),
    replaceRejects: (trx, account, _run, lists) => issues.rejects(trx, account, lists),
    saveRead: async (_trx, _run, states) => {
      for (const state of states) planHolds(state, planned, issues)
      // guard: holds of a dry run
      issues.read(states)
    },
    deleteStaleState: (trx, account, listed) => issues.deleteStaleState(trx, account, listed),
    openIssues: (trx, account) => issues.open(trx, account),
  }
}

/** For the second read of a list: its rows are planned already, only its deletions are planned again. */
export function deletionsOnly(planner: Loader): Loader {
  const none = async (): Promise<WriteResult> => ({ rows: noCounts(), events: new Set() })
  return { ...planner, events: none, responses: none, deleteOrphans: async () => noCounts() }
}

/** A second read of a list replaces what its first read held. */
function planHolds(
  { event_id, held_deletions }: AppliedState,
  planned: ChangePlan,
  issues: PlannedIssues,
): void {
  const ids = held_deletions.flatMap((group) => group.ids)
  if (event_id === EVENT_LIST_KEY) {
    const events = ids.map((id) => ({ event_id: id }))
    planned.add('events', 'held', events)
    return
  }
  planned.removeHeld(event_id, issues.heldCount(event_id))
  const responses = ids.map((response_id) => ({ event_id, response_id }))
  planned.add('responses', 'held', responses)
}

async function planEventDeletions(
  trx: Transaction,
  account: number,
  ids: readonly string[],
  planned: ChangePlan,
): Promise<TableCounts> {
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
  return counts
}

async function skip(): Promise<void> {}

async function planEvents(
  trx: Transaction,
  account: number,
  events: readonly EventItem[],
  planned: ChangePlan,
): Promise<WriteResult> {
  const { added, changed } = await changedEvents(trx.kysely, account, events)
  const rows = noCounts()
  const inserted = events.filter(({ id }) => added.has(id))
  rows.events.inserted += planned.add(
    'events',
    'inserted',
    inserted.map(({ id, title }) => ({ event_id: id, ...labelIn(planned, title) })),
  )
  for (const chunk of chunkRows(events.filter(({ id }) => changed.has(id)))) {
    const ids = chunk.map(({ id }) => id)
    const { listed } = await eventDifferences(trx, account, chunk, {
      scope: (id) => sql`${id} = any (${ids}::text[])`,
      max: null,
      values: false,
    })
    rows.events.updated += planned.addDifferences('events', listed).updated
  }
  return { rows, events: new Set([...added, ...changed]) }
}

async function planResponses(
  trx: Transaction,
  account: number,
  lists: readonly ListChanges[],
  planned: ChangePlan,
): Promise<WriteResult> {
  const { added, changed } = await changedResponses(trx, account, itemsOf(lists, 'differing'))
  const inserted = [...itemsOf(lists, 'added'), ...added]
  const rows = noCounts()
  for (const item of inserted) planInsert(item, rows, planned)
  for (const chunk of chunkRows(changed)) {
    const keys = chunk.map(({ event_id, response }) => ({ event_id, id: response.id }))
    const { listed } = await responseDifferences(trx, account, chunk, {
      scope: (id) => sql`(live.event_id, ${id}) in (${keyRecordset(keys)})`,
      max: null,
      values: false,
    })
    rows.responses.updated += planned.updateResponses(keys, listed)
    for (const table of ['payments', 'slots'] as const) {
      const counts = planned.addDifferences(
        table,
        listed.filter((difference) => difference.table === table),
      )
      rows[table].inserted += counts.inserted
      rows[table].updated += counts.updated
      rows[table].deleted += counts.deleted
    }
  }
  return { rows, events: new Set([...inserted, ...changed].map(({ event_id }) => event_id)) }
}

function planInsert({ event_id, response }: EventResponse, rows: TableCounts, planned: ChangePlan): void {
  const key = { event_id, response_id: response.id, ...labelIn(planned, response.name) }
  rows.responses.inserted += planned.add('responses', 'inserted', [key])
  if (response.payment !== null) rows.payments.inserted += planned.add('payments', 'inserted', [key])
  const slots = response.slots.map((_, index) => ({ ...key, position: index + 1 }))
  rows.slots.inserted += planned.add('slots', 'inserted', slots)
}

/** The label of a row that the mirror does not have yet. */
function labelIn({ hasLabels }: ChangePlan, label: string | null): Pick<PlannedRow, 'label'> {
  return hasLabels && label !== null ? { label } : {}
}

/** Responses with these keys, their payments and their slots. */
async function planRemoval(
  trx: Transaction,
  account: number,
  counts: TableCounts,
  keys: RawBuilder<unknown>,
  planned: ChangePlan,
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
  planned: ChangePlan,
): Promise<TableCounts> {
  const counts = noCounts()
  for (const table of event_ids.length === 0 ? [] : (['payments', 'slots'] as const)) {
    counts[table].deleted += await planDeleted(trx, table, orphanRows(table, account, event_ids), planned)
  }
  return counts
}

/** @param going what stands after `from`: the rows that go, under the name `live`. */
async function planDeleted(
  trx: Transaction,
  table: 'responses' | 'payments' | 'slots',
  going: RawBuilder<unknown>,
  planned: ChangePlan,
): Promise<number> {
  const id = sql.ref(table === 'responses' ? 'live.id' : 'live.response_id')
  const index = table === 'slots' ? sql.ref('live.position') : sql`null::int`
  const { rows } = await sql<{ event_id: string; id: string; index: number | null; total: number }>`
    select live.event_id, ${id} as id, ${index} as index, (count(*) over ())::int as total
      from ${going}
     order by 1, 2, 3
     limit ${planned.remaining(table, 'deleted')}`.execute(trx.kysely)
  const keys = rows.map(({ event_id, id, index }) => ({
    event_id,
    response_id: id,
    ...(index !== null && { position: index }),
  }))
  return planned.add(table, 'deleted', keys, rows[0]?.total ?? 0)
}
