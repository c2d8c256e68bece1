/** The loader of a dry run: it compares and counts what a run would write, and writes nothing. */
import { sql, type RawBuilder } from 'kysely'
import type { ChildTable } from '../../common/schema/live-tables.ts'
import type { Plan, PlannedRow, TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { changedResponses } from '../diff/changed-responses.ts'
import { eventDifferences, responseDifferences } from '../diff/column-diff.ts'
import { changedEvents } from '../write/events.ts'
import { itemsOf, keyRecordset, keysOf, type EventResponse } from '../write/recordsets.ts'
import { countForgettable } from '../write/forget.ts'
import { readLabels } from '../live-labels.ts'
import type { Loader } from '../loader.ts'
import { orphanRows } from '../diff/orphans.ts'
import { PlannedIssues } from './open-issues.ts'
import { ChangePlan } from './change-plan.ts'
import { EVENT_LIST_KEY } from '../state/sync-state.ts'
import { addCounts, noCounts, chunkRows } from '../statements.ts'

async function skip(): Promise<void> {}

/** A loader that writes nothing, and its plan so far. */
export class Planner implements Loader {
  readonly saveIdentity = skip
  readonly markUnchanged = skip
  readonly saveFailures = skip
  readonly saveObservations = skip
  readonly suppress = skip
  readonly rewriteLive: Loader['rewriteLive'] = async () => new Set<string>()
  readonly #planned: ChangePlan
  readonly #issues = new PlannedIssues()

  /** @param maxListed how many rows of each kind a table's plan lists; all are counted */
  constructor(maxListed: number) {
    this.#planned = new ChangePlan(maxListed)
  }

  async plan(trx: Transaction, account: number): Promise<Plan> {
    const labels = await readLabels(trx, account, this.#planned.unlabelled())
    if (this.#planned.hasLabels) this.#planned.label(labels)
    return this.#planned.plan
  }

  readonly events: Loader['events'] = async (trx, { account }, events) => {
    const { added, changed } = await changedEvents(trx.kysely, account, events)
    const rows = noCounts()
    const inserted = events.filter(({ id }) => added.has(id))
    const planned = inserted.map(({ id, title }) => ({ event_id: id, ...this.#labelOf(title) }))
    rows.events.inserted += this.#planned.add('events', 'inserted', planned)
    for (const chunk of chunkRows(events.filter(({ id }) => changed.has(id)))) {
      const ids = chunk.map(({ id }) => id)
      const { listed } = await eventDifferences(trx, account, chunk, {
        scope: (id) => sql`${id} = any (${ids}::text[])`,
        max: null,
        values: false,
      })
      rows.events.updated += this.#planned.addDifferences('events', listed).updated
    }
    return { rows, events: new Set([...added, ...changed]) }
  }

  readonly responses: Loader['responses'] = async (trx, { account }, lists) => {
    const { added, changed } = await changedResponses(trx, account, itemsOf(lists, 'differing'))
    const inserted = [...itemsOf(lists, 'added'), ...added]
    const rows = noCounts()
    for (const item of inserted) this.#planInsert(item, rows)
    for (const chunk of chunkRows(changed)) {
      const keys = keysOf(chunk)
      const { listed } = await responseDifferences(trx, account, chunk, {
        scope: (id) => sql`(live.event_id, ${id}) in (${keyRecordset(keys)})`,
        max: null,
        values: false,
      })
      rows.responses.updated += this.#planned.updateResponses(keys, listed)
      for (const table of ['payments', 'slots'] as const) {
        const ofTable = listed.filter((difference) => difference.table === table)
        addCounts(rows, { ...noCounts(), [table]: this.#planned.addDifferences(table, ofTable) })
      }
    }
    return { rows, events: new Set([...inserted, ...changed].map(({ event_id }) => event_id)) }
  }

  readonly deleteResponses: Loader['deleteResponses'] = async (trx, { account }, keys) => {
    const counts = noCounts()
    for (const chunk of chunkRows(keys))
      addCounts(counts, await this.#planRemoval(trx, account, keyRecordset(chunk)))
    return counts
  }

  readonly deleteEvents: Loader['deleteEvents'] = async (trx, { account }, ids) => {
    this.#issues.forget(ids)
    const ofThese = sql`
      select event_id, id from headcount.responses
       where account_id = ${account} and event_id = any (${ids}::text[])`
    const counts = await this.#planRemoval(trx, account, ofThese)
    addCounts(counts, await this.deleteOrphans(trx, account, ids))
    const { rows: live } = await sql<{ event_id: string }>`
      select id as event_id from headcount.events
       where account_id = ${account} and id = any (${ids}::text[])
       order by id`.execute(trx.kysely)
    counts.events.deleted += this.#planned.add('events', 'deleted', live)
    return counts
  }

  readonly deleteOrphans: Loader['deleteOrphans'] = async (trx, account, event_ids) => {
    const counts = noCounts()
    for (const table of event_ids.length === 0 ? [] : (['payments', 'slots'] as const))
      counts[table].deleted += await this.#planDeleted(trx, table, orphanRows(table, account, event_ids))
    return counts
  }

  readonly forget: Loader['forget'] = (trx, account, events) => {
    this.#issues.clearSetAside(events.map(({ event_id }) => event_id))
    return countForgettable(trx, account, events)
  }

  readonly replaceRejects: Loader['replaceRejects'] = (trx, account, _run, lists) =>
    this.#issues.rejects(trx, account, lists)

  /** A second read of a list replaces what its first read held. */
  readonly saveRead: Loader['saveRead'] = async (_trx, _run, states) => {
    for (const { event_id, held_deletions } of states) {
      const ids = held_deletions.flatMap((group) => group.ids)
      if (event_id === EVENT_LIST_KEY) {
        const events = ids.map((id) => ({ event_id: id }))
        this.#planned.add('events', 'held', events)
      } else {
        this.#planned.removeHeld(event_id, this.#issues.heldCount(event_id))
        const responses = ids.map((response_id) => ({ event_id, response_id }))
        this.#planned.add('responses', 'held', responses)
      }
    }
    // guard: holds of a dry run
    this.#issues.read(states)
  }

  readonly deleteStaleState: Loader['deleteStaleState'] = (trx, account, listed) =>
    this.#issues.deleteStaleState(trx, account, listed)

  readonly openIssues: Loader['openIssues'] = (trx, account) => this.#issues.open(trx, account)

  #planInsert({ event_id, response }: EventResponse, rows: TableCounts): void {
    const key = { event_id, response_id: response.id, ...this.#labelOf(response.name) }
    rows.responses.inserted += this.#planned.add('responses', 'inserted', [key])
    if (response.payment !== null) rows.payments.inserted += this.#planned.add('payments', 'inserted', [key])
    const slots = response.slots.map((_, index) => ({ ...key, position: index + 1 }))
    rows.slots.inserted += this.#planned.add('slots', 'inserted', slots)
  }

  /** The label of a row that the mirror does not have yet. */
  #labelOf(label: string | null): Pick<PlannedRow, 'label'> {
    return this.#planned.hasLabels && label !== null ? { label } : {}
  }

  /** Responses with these keys, their payments and their slots. */
  async #planRemoval(trx: Transaction, account: number, keys: RawBuilder<unknown>): Promise<TableCounts> {
    const counts = noCounts()
    for (const table of ['responses', 'payments', 'slots'] as const) {
      const going = sql`
        ${sql.table(`headcount.${table}`)} live
          join (${keys}) k on live.event_id = k.event_id and ${responseId(table)} = k.id
         where live.account_id = ${account}`
      counts[table].deleted += await this.#planDeleted(trx, table, going)
    }
    return counts
  }

  /** @param going what stands after `from`: the rows that go, under the name `live`. */
  async #planDeleted(
    trx: Transaction,
    table: 'responses' | ChildTable,
    going: RawBuilder<unknown>,
  ): Promise<number> {
    const index = table === 'slots' ? sql.ref('live.position') : sql`null::int`
    const { rows } = await sql<{ event_id: string; id: string; index: number | null; total: number }>`
      select live.event_id, ${responseId(table)} as id, ${index} as index, (count(*) over ())::int as total
        from ${going}
       order by 1, 2, 3
       limit ${this.#planned.remaining(table, 'deleted')}`.execute(trx.kysely)
    const keys = rows.map(({ event_id, id, index }) => ({
      event_id,
      response_id: id,
      ...(index !== null && { position: index }),
    }))
    return this.#planned.add(table, 'deleted', keys, rows[0]?.total ?? 0)
  }
}

function responseId(table: 'responses' | ChildTable): RawBuilder<unknown> {
  return sql.ref(table === 'responses' ? 'live.id' : 'live.response_id')
}

/** For the second read of a list: its rows are planned already, only its deletions are planned again. */
export function deletionsOnly(planner: Loader): Loader {
  const none = async () => ({ rows: noCounts(), events: new Set<string>() })
  return { ...planner, events: none, responses: none, deleteOrphans: async () => noCounts() }
}
