/** What every batch does beside its rows: the records of its events, deletions, rejects, and the digests that vouch. */
import type { HeldGroup, TableCounts } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import type { ListChange } from '../load/list-changes.ts'
import type { RecordsChange, UnchangedState } from '../load/state.ts'
import { addCounts } from '../load/writing.ts'
import type { Writing, Written } from '../load/writing.ts'
import { NORMALISER_VERSION } from '../normalise/version.ts'
import { goneFields } from './complete-list.ts'
import type { CompleteList } from './complete-list.ts'
import { decideResponses, heldIds } from './deletions.ts'
import type { Decision } from './deletions.ts'
import type { DueEvent } from './due.ts'
import { nextStep } from './freshness.ts'
import type { OpenRun } from './opening.ts'
import type { ResponsesList, StorableList } from './responses-list.ts'
import type { Tally } from './report.ts'

/** An event with its list, which is known whole. */
export type ListLoad<List extends StorableList = StorableList> = DueEvent & { readonly list: List }

/** An event whose list is as it was; its own record is not. */
export type UnchangedLoad = DueEvent & { readonly list: null; readonly unchanged: Unchanged }

/** What is known of a list that is still as it was. */
export type Unchanged = Pick<UnchangedState, 'etag' | 'read_whole'>

/** What is decided of each list that loses responses, by event. */
export type Decisions = Map<string, Decision>

/** Lists beside what was live of them, by event. */
export type Changes = ReadonlyMap<string, Pick<ListChange, 'live' | 'fields' | 'absent'>>

/** What a batch wrote, told to the run only when it is committed. */
export interface Applied {
  readonly lists: readonly ListLoad[]
  readonly events: number
  readonly rows: TableCounts
  readonly changed: ReadonlySet<string>
  readonly warnings: readonly string[]
  /** Fields that a list has lost. */
  readonly gone: readonly { readonly event_id: string; readonly field: string }[]
}

/**
 * Writes a batch in one transaction: rows, deletions, history, rejects, and the digests that vouch for them. A
 * crash at any point leaves each of its events wholly old or wholly new.
 *
 * @param apply may be called again, after a conflict with another transaction; it notes what it decides of deletions
 * @param stored is told of the lists when they are, before anything else is told of the batch
 */
export async function writeBatch(
  run: OpenRun,
  bytes: number,
  apply: (trx: Transaction, decisions: Decisions) => Promise<Applied>,
  stored: (lists: readonly ListLoad[]) => void = () => {},
): Promise<void> {
  const decisions: Decisions = new Map()
  const takeBack = () => {
    for (const decision of decisions.values()) run.removals.takeBack(decision)
    decisions.clear()
  }
  const tryOnce = async (trx: Transaction) => {
    // A conflict with another transaction rolled back what the try before this one had decided.
    takeBack()
    return apply(trx, decisions)
  }
  const applied = await run.write(tryOnce, { bytes }).catch((error: unknown) => {
    takeBack()
    throw error
  })
  stored(applied.lists)
  run.tally.changed += applied.changed.size
  run.tally.unchanged += applied.events - applied.changed.size
  addCounts(run.tally.rows, applied.rows)
  for (const warning of applied.warnings) run.tally.warn(warning)
  for (const { event_id, field } of applied.gone) {
    run.observations.addGone('response', field)
    // The live rows tell it no longer: should this run not live to report it, the log has it.
    run.settings.logger.info({ event_id, field }, goneLine(event_id, field))
  }
  for (const { list } of applied.lists) run.observations.addList('responses', list)
}

/** What a list says of itself, as soon as it was read through. */
export function tellList(tally: Tally, { event }: DueEvent, list: CompleteList): void {
  for (const warning of list.warnings) tally.warn(`Event ${event.id}: ${warning}`)
  tally.responsesRead += list.count
}

/** How the rows of a list are written: without history when the service sent what it sent before. */
export function writingOf(run: OpenRun, verdict: CompleteList['verdict']): Writing {
  return { account: run.account.id, run: run.lease.runId, history: verdict !== 'same_body' }
}

/** What was written to the records of a batch's events, and of what hangs on no response. */
export interface RecordsWritten extends Written {
  readonly change: RecordsChange
}

/** Writes the records of these events, before the rows that belong to them. */
export async function loadRecords(
  trx: Transaction,
  run: OpenRun,
  loads: readonly (DueEvent & { readonly list: object | null })[],
): Promise<RecordsWritten> {
  const readAgain = loads.filter(
    ({ list, state }) => list !== null && run.mode === 'backfill' && state !== undefined,
  )
  const rows = await run.load.removeOrphans(
    trx,
    run.account.id,
    readAgain.map(({ event }) => event.id),
  )
  const records = loads.filter(({ isRejected }) => !isRejected)
  const [newRecords, oldRecords] = partition(records, ({ record }) => record !== 'rewritten')
  const changed = await run.load.events(trx, writingOf(run, 'other'), newRecords.map(eventOf))
  const rewritten = await run.load.events(trx, writingOf(run, 'same_body'), oldRecords.map(eventOf))
  for (const one of [changed, rewritten]) addCounts(rows, one.rows)
  return {
    rows,
    events: new Set([...changed.events, ...rewritten.events]),
    change: changed.events.size > 0 ? 'changed' : rewritten.events.size > 0 ? 'rewritten' : 'none',
  }
}

/** What a batch has found out and written until its rows are there. */
interface Begun {
  readonly loads: readonly (ListLoad | UnchangedLoad)[]
  readonly changes: Changes
  readonly decisions: Decisions
  readonly records: RecordsWritten
  /** Responses, with their payments and slots. */
  readonly responses: readonly Written[]
}

/** Ends a batch whose rows are written: what its lists no longer have is removed, and they are vouched for. */
export async function conclude(
  trx: Transaction,
  run: OpenRun,
  { loads, changes, decisions, records, responses }: Begun,
): Promise<Applied> {
  const lists = loads.filter((load): load is ListLoad => load.list !== null)
  const removals = [...decisions].flatMap(([event_id, { remove }]) => remove.map((id) => ({ event_id, id })))
  const rows = await run.load.removeResponses(trx, writingOf(run, 'other'), removals)
  await run.load.rejects(
    trx,
    run.account.id,
    run.lease.runId,
    lists.map(({ event, list }) => ({ event_id: event.id, rejects: list.rejects() })),
  )
  const changedLists = new Set([
    ...responses.flatMap(({ events }) => [...events]),
    ...removals.map(({ event_id }) => event_id),
  ])
  await recordStates(trx, run, loads, decisions, records, changedLists)
  const changed = new Set([...records.events, ...changedLists])
  for (const one of [records, ...responses]) addCounts(rows, one.rows)
  return {
    lists,
    events: loads.length,
    rows,
    changed,
    warnings: lists.flatMap((load) =>
      warnings(load, changes.get(load.event.id), decisions.get(load.event.id)),
    ),
    gone: lists.flatMap(({ event, list }) =>
      goneFields(list, changes.get(event.id)?.fields ?? []).map((field) => ({ event_id: event.id, field })),
    ),
  }
}

/** Decides which responses are removed that these lists no longer have. */
export async function decideDeletions(
  trx: Transaction,
  run: OpenRun,
  lists: readonly ListLoad<ResponsesList>[],
  changes: Changes,
  decisions: Decisions,
): Promise<void> {
  for (const { event, list, state } of lists) {
    const change = changes.get(event.id)
    // The live row stays of an item that is rejected.
    const absent = change?.absent.filter((id) => !list.has(id)) ?? []
    if (absent.length === 0) continue
    const { total: liveAtStart } = await run.liveAtStart(trx.kysely)
    const decision = decideResponses(
      {
        absent,
        live: change?.live ?? 0,
        length: list.length,
        unreadableId: list.unreadableId,
        incomplete: list.incomplete,
        held: state?.held ?? [],
      },
      run.holdPolicy,
      { ...run.removals.now, liveAtStart },
    )
    run.removals.add(decision)
    decisions.set(event.id, decision)
  }
}

async function recordStates(
  trx: Transaction,
  run: OpenRun,
  loads: readonly (ListLoad | UnchangedLoad)[],
  decisions: ReadonlyMap<string, Decision>,
  records: RecordsWritten,
  changedLists: ReadonlySet<string>,
): Promise<void> {
  const { maxStalenessMs } = run.settings
  const hasChanged = (id: string) => changedLists.has(id) || records.events.has(id)
  const stepOf = ({ event, state }: DueEvent) =>
    nextStep(event, state?.step ?? null, hasChanged(event.id), maxStalenessMs, run.lease.startedAt)
  const read = loads.flatMap((load) => {
    if (load.list === null) return []
    const held: readonly HeldGroup[] = decisions.get(load.event.id)?.held ?? []
    return {
      event_id: load.event.id,
      // Signs of more pages are to be told by every run, not by the first one alone.
      digest: held.length > 0 || load.list.incomplete === 'paging' ? null : load.list.digest,
      etag: held.length > 0 ? null : load.list.etag,
      normaliser: NORMALISER_VERSION,
      held,
      set_aside: load.list.setAside,
      step: stepOf(load),
      has_changed: changedLists.has(load.event.id),
    }
  })
  const unchanged = loads.flatMap((load) =>
    load.list === null ? [{ event_id: load.event.id, step: stepOf(load), ...load.unchanged }] : [],
  )
  await run.load.unchanged(trx, run.account.id, unchanged)
  await run.load.read(trx, run.account.id, run.backfill?.id ?? null, read, records.change)
}

/** What the user should know of a list: fields gone from every item, deletions held back. */
function warnings(
  { event, list }: ListLoad,
  before: { readonly fields: readonly string[] } | undefined,
  decision: Decision | undefined,
): string[] {
  const gone = goneFields(list, before?.fields ?? [])
  const held = heldIds(decision?.held ?? []).length
  return [
    ...gone.map((field) => goneLine(event.id, field)),
    ...(held > 0
      ? [`Event ${event.id}: ${held} deletions are held (${decision?.held.at(-1)?.reason}).`]
      : []),
  ]
}

function goneLine(event_id: string, field: string): string {
  return `Event ${event_id}: no response has "${field}" any more; its column is now empty.`
}

export function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))]
}

function eventOf({ event }: DueEvent) {
  return event
}
