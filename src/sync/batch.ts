import type { HeldGroup, TableCounts } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import type { UnchangedState } from '../load/state.ts'
import { addCounts } from '../load/writing.ts'
import { NORMALISER_VERSION } from '../normalise/version.ts'
import { goneFields } from './complete-list.ts'
import { decideResponses, heldIds } from './deletions.ts'
import type { Decision } from './deletions.ts'
import type { DueEvent } from './due.ts'
import { nextStep } from './freshness.ts'
import { compareAll, loadLists } from './list-loads.ts'
import type { Changes } from './list-loads.ts'
import type { OpenRun } from './opening.ts'
import type { ResponsesList } from './responses-list.ts'

/** An event to be brought up to date: its record, and its responses unless they are unchanged. */
export type EventLoad = ListLoad | (DueEvent & { readonly list: null; readonly unchanged: Unchanged })

type ListLoad = DueEvent & { readonly list: ResponsesList }

/** What is known of a list that is still as it was. */
export type Unchanged = Pick<UnchangedState, 'etag' | 'read_whole'>

/** What a batch wrote, told to the run only when it is committed. */
interface Applied {
  readonly rows: TableCounts
  readonly changed: ReadonlySet<string>
  readonly warnings: readonly string[]
  /** Fields that a list has lost. */
  readonly gone: readonly { readonly event_id: string; readonly field: string }[]
}

/**
 * Loads a batch in one transaction: rows, deletions, history, rejects, and the digests that vouch for them. A
 * crash at any point leaves each of its events wholly old or wholly new.
 */
export async function applyBatch(run: OpenRun, loads: readonly EventLoad[]): Promise<void> {
  const bytes = loads.reduce((sum, { list }) => sum + (list?.bytes ?? 0), 0)
  const decisions = new Map<string, Decision>()
  const applied = await run.write(
    async (trx) => {
      // A conflict with another transaction rolled back what the try before this one had decided.
      for (const decision of decisions.values()) run.removals.takeBack(decision)
      decisions.clear()
      return apply(trx, run, loads, decisions)
    },
    { bytes },
  )
  run.tally.changed += applied.changed.size
  run.tally.unchanged += loads.length - applied.changed.size
  addCounts(run.tally.rows, applied.rows)
  for (const warning of applied.warnings) run.tally.warn(warning)
  for (const { event_id, field } of applied.gone) {
    run.observations.addGone('response', field)
    // The live rows tell it no longer: should this run not live to report it, the log has it.
    run.settings.logger.info({ event_id, field }, goneLine(event_id, field))
  }
  for (const { list } of loads) if (list !== null) run.observations.addList('responses', list)
}

/** @param decisions takes what is decided of each list that loses responses */
async function apply(
  trx: Transaction,
  run: OpenRun,
  loads: readonly EventLoad[],
  decisions: Map<string, Decision>,
): Promise<Applied> {
  const writing = { account: run.account.id, run: run.lease.runId, history: true }
  const lists = loads.filter((load): load is ListLoad => load.list !== null)
  const changes = await compareAll(trx, writing.account, lists)
  await decideDeletions(trx, run, lists, changes, decisions)

  const readAgain = lists.filter(({ state }) => run.mode === 'backfill' && state !== undefined)
  const orphans = await run.load.removeOrphans(trx, writing.account, idsOf(readAgain))
  const rewriting = { ...writing, history: false }
  const records = loads.filter(({ isRejected }) => !isRejected)
  const [newRecords, oldRecords] = partition(records, ({ record }) => record !== 'rewritten')
  const [newLists, oldLists] = partition(lists, ({ list }) => list.verdict !== 'same_body')
  const written = [
    await run.load.events(trx, writing, newRecords.map(eventOf)),
    await run.load.events(trx, rewriting, oldRecords.map(eventOf)),
    await loadLists(trx, run, writing, newLists, changes),
    await loadLists(trx, run, rewriting, oldLists, changes),
  ]
  const removals = [...decisions].flatMap(([event_id, { remove }]) => remove.map((id) => ({ event_id, id })))
  const removed = await run.load.removeResponses(trx, writing, removals)
  await run.load.rejects(
    trx,
    writing.account,
    writing.run,
    lists.map(({ event, list }) => ({ event_id: event.id, rejects: list.rejects() })),
  )
  addCounts(removed, orphans)
  const changed = new Set([
    ...written.flatMap(({ events }) => [...events]),
    ...removals.map(({ event_id }) => event_id),
  ])
  await recordStates(trx, run, loads, decisions, changed)

  for (const { rows } of written) addCounts(removed, rows)
  return {
    rows: removed,
    changed,
    warnings: lists.flatMap((load) =>
      warnings(load, changes.get(load.event.id), decisions.get(load.event.id)),
    ),
    gone: lists.flatMap(({ event, list }) =>
      goneFields(list, changes.get(event.id)?.fields ?? []).map((field) => ({ event_id: event.id, field })),
    ),
  }
}

async function decideDeletions(
  trx: Transaction,
  run: OpenRun,
  lists: readonly ListLoad[],
  changes: Changes,
  decisions: Map<string, Decision>,
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
  loads: readonly EventLoad[],
  decisions: ReadonlyMap<string, Decision>,
  changed: ReadonlySet<string>,
): Promise<void> {
  const { maxStalenessMs } = run.settings
  const stepOf = ({ event, state }: EventLoad) =>
    nextStep(event, state?.step ?? null, changed.has(event.id), maxStalenessMs, run.lease.startedAt)
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
    }
  })
  const unchanged = loads.flatMap((load) =>
    load.list === null ? [{ event_id: load.event.id, step: stepOf(load), ...load.unchanged }] : [],
  )
  await run.load.read(trx, run.account.id, run.backfill?.id ?? null, read)
  await run.load.unchanged(trx, run.account.id, unchanged)
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

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))]
}

function eventOf({ event }: EventLoad) {
  return event
}

function idsOf(lists: readonly ListLoad[]): string[] {
  return lists.map(({ event }) => event.id)
}
