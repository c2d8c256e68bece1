/** What every batch writes beside the rows of responses: event rows, deletions, rejects and current digests. */
import type { Observation, TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { addCounts, type WriteOptions, type WriteResult } from '../../load/statements.ts'
import { droppedField, observationsOf } from '../drift/observations.ts'
import type { DigestMatch } from '../fetch/change-detection.ts'
import { droppedFields, type FetchedListFacts } from '../fetch/list-facts.ts'
import { holdWarnings } from '../deletions/deletion-guard.ts'
import type { DiffByEvent, DeletionDecisions } from '../deletions/decide-deletions.ts'
import { restoresPersonal, type DueEvent } from '../select/selected-event.ts'
import type { EmptiedList } from '../deletions/emptied-lists.ts'
import type { RunContext } from '../run-context.ts'
import { applyToLive } from './apply-field-rules.ts'
import { saveListStates } from './save-list-states.ts'
import type { ListWrite, EventRowsWritten, UnchangedWrite } from './event-write.ts'

/** What a batch wrote; counted by the run only when it is committed. */
export interface BatchResult {
  readonly lists: readonly ListWrite[]
  readonly events: { readonly changed: number; readonly unchanged: number }
  readonly rows: TableCounts
  readonly changed: ReadonlySet<string>
  /** Fields that a list has lost, by event. */
  readonly dropped: ReadonlyMap<string, readonly string[]>
  /** What it stored of what the lists show. */
  readonly observed: readonly Observation[]
  /** Events of the batch that it left as they were: their lists became empty, and are decided last. */
  readonly emptied?: readonly EmptiedList[]
}

/**
 * Writes a batch in one transaction: rows, deletions, history, rejects, and their digests. A
 * crash at any point leaves each of its events wholly old or wholly new.
 *
 * @param apply may be called again, after a conflict with another transaction; it notes what it decides of deletions
 * @param stored is called with the lists when they are committed, before anything of the batch is counted
 */
export async function runBatchTransaction(
  run: RunContext,
  bytes: number,
  apply: (trx: Transaction, decisions: DeletionDecisions) => Promise<BatchResult>,
  stored: (lists: readonly ListWrite[]) => void = () => {},
): Promise<void> {
  const { budget, listsRead, unconfirmed } = run.deletions
  const decisions: DeletionDecisions = new Map()
  const takeBack = () => {
    for (const decision of decisions.values()) budget.release(decision)
    decisions.clear()
  }
  const tryOnce = async (trx: Transaction) => {
    // A conflict with another transaction rolled back what the try before this one had decided.
    takeBack()
    // guard: committed before counted
    return apply(trx, decisions)
  }
  const applied = await run.mirror.write(tryOnce, { bytes }).catch((error: unknown) => {
    takeBack()
    throw error
  })
  stored(applied.lists)
  for (const one of applied.emptied ?? []) listsRead.addEmptied(one)
  run.stats.events.changed += applied.events.changed
  run.stats.events.unchanged += applied.events.unchanged
  addCounts(run.stats.rows, applied.rows)
  run.pending.observations.committed(applied.observed)
  for (const load of applied.lists) {
    const { id } = load.event
    const decision = decisions.get(id)
    reportDropped(run, load, applied.dropped.get(id) ?? [])
    for (const line of decision ? holdWarnings(`Event ${id}`, decision) : []) run.stats.warn(line)
    unconfirmed.add(load, decision, applied.changed.has(id))
  }
}

function reportDropped(run: RunContext, { event, firstReading }: DueEvent, dropped: readonly string[]): void {
  for (const field of dropped) {
    const warning = `Event ${event.id}: no response has "${field}" any more; its column is now empty.`
    run.stats.warn(warning)
    if (firstReading !== null) continue
    // The live rows show it no longer: should this run be killed before its report, the log has it.
    run.settings.logger.info({ event_id: event.id, field }, warning)
  }
}

/** Reports what a list shows of itself, as soon as it was read through. */
export function reportList(
  { stats, deletions }: RunContext,
  { event }: DueEvent,
  list: FetchedListFacts,
): void {
  if (list.length > 0) deletions.listsRead.addFull(event.id)
  for (const warning of list.warnings) stats.warn(`Event ${event.id}: ${warning}`)
  stats.responsesRead += list.count
}

/** How the rows of a list are written: without history when the service sent what it sent before. */
export function writeOptions(run: RunContext, verdict: DigestMatch, restoresPersonal = false): WriteOptions {
  const history = verdict !== 'renormalised'
  return { account: run.mirror.account.id, run: run.mirror.lease.runId, history, restoresPersonal }
}

/** Writes the records of these events, before the rows that belong to them. */
export async function writeEventRows(
  trx: Transaction,
  run: RunContext,
  loads: readonly (DueEvent & { readonly list: object | null })[],
): Promise<EventRowsWritten> {
  const { load, account } = run.mirror
  const readAgain = loads.flatMap(({ event, list, state }) =>
    list !== null && run.mode === 'backfill' && state !== undefined ? event.id : [],
  )
  const rows = await load.deleteOrphans(trx, account.id, readAgain)
  const write = (verdict: DigestMatch, of: typeof loads) => {
    const events = of.map(({ event }) => event)
    return load.events(trx, writeOptions(run, verdict), events)
  }
  const [newRecords, oldRecords] = partition(
    loads.filter(({ isRejected }) => !isRejected),
    ({ eventRow }) => eventRow !== 'renormalised',
  )
  const changed = await write('other', newRecords)
  const rewritten = await write('renormalised', oldRecords)
  for (const one of [changed, rewritten]) addCounts(rows, one.rows)
  return {
    rows,
    events: new Set([...changed.events, ...rewritten.events]),
    change: changed.events.size > 0 ? 'changed' : rewritten.events.size > 0 ? 'renormalised' : 'none',
  }
}

/** What a batch has found out and written until its rows are there. */
interface WrittenBatch {
  readonly loads: readonly (ListWrite | UnchangedWrite)[]
  readonly changes: DiffByEvent
  readonly decisions: DeletionDecisions
  readonly records: EventRowsWritten
  /** Responses, with their payments and slots. */
  readonly responses: readonly WriteResult[]
}

/** Ends a batch whose rows are written: deletes what its lists no longer have, and stores their digests. */
export async function finishBatch(
  trx: Transaction,
  run: RunContext,
  { loads, changes, decisions, records, responses }: WrittenBatch,
): Promise<BatchResult> {
  const lists = loads.filter((load): load is ListWrite => load.list !== null)
  const removals = [...decisions].flatMap(([event_id, { remove }]) => remove.map((id) => ({ event_id, id })))
  const { load, account, lease } = run.mirror
  const rows = await load.deleteResponses(trx, writeOptions(run, 'other'), removals)
  const rejects = lists.map(({ event, list }) => ({ event_id: event.id, rejects: list.rejects() }))
  await load.replaceRejects(trx, account.id, lease.runId, rejects)
  const changedLists = new Set([
    ...responses.flatMap(({ events }) => [...events]),
    ...removals.map(({ event_id }) => event_id),
    ...(await applyToLive(trx, run, withOldRows(lists, changes, decisions))),
  ])
  await saveListStates(trx, run, loads, decisions, records, changedLists)
  await suppressFound(trx, run, lists)
  const changed = new Set([...records.events, ...changedLists])
  for (const one of [records, ...responses]) addCounts(rows, one.rows)
  const dropped = new Map(
    lists.map(({ event, list }) => [event.id, droppedFields(list, changes.get(event.id)?.fields ?? [])]),
  )
  const lost = lists.flatMap(({ event, firstReading }) =>
    firstReading === null ? (dropped.get(event.id) ?? []) : [],
  )
  const observed = [
    ...lists.flatMap(({ list }) => observationsOf('responses', list)),
    ...lost.map((field) => droppedField('response', field)),
  ]
  return {
    lists,
    events: countEvents(loads, changed),
    rows,
    changed,
    dropped,
    observed: await run.pending.observations.store(trx, observed),
  }
}

/** Lists whose rows are made anew, and that leave live rows as they were: what is held, and what cannot be stored any more. */
function withOldRows(
  lists: readonly ListWrite[],
  changes: DiffByEvent,
  decisions: DeletionDecisions,
): readonly string[] {
  return lists.filter(restoresPersonal).flatMap(({ event: { id } }) => {
    const absent = changes.get(id)?.absent.length ?? 0
    // guard: held rows under new settings
    return absent > (decisions.get(id)?.remove.length ?? 0) ? id : []
  })
}

/** Responses of erased people that are new, or have their address since now: no former version of them keeps a name. */
async function suppressFound(trx: Transaction, run: RunContext, lists: readonly ListWrite[]): Promise<void> {
  const { load, account } = run.mirror
  const found = lists.flatMap(({ event, list }) =>
    list.suppressed.map((response) => ({ event_id: event.id, ...response })),
  )
  if (found.length > 0) await load.suppress(trx, account.id, found)
}

/** How many events changed, and how many did not; one that is read twice is counted once. */
function countEvents(loads: readonly DueEvent[], changed: ReadonlySet<string>): BatchResult['events'] {
  const counts = { changed: 0, unchanged: 0 }
  for (const { event, firstReading } of loads) {
    const isChanged = changed.has(event.id)
    if (firstReading === null) counts[isChanged ? 'changed' : 'unchanged'] += 1
    else if (isChanged && !firstReading.changed) {
      counts.changed += 1
      counts.unchanged -= 1
    }
  }
  return counts
}

export function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))]
}
