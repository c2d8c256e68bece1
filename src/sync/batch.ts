import type { Transaction } from '../db/transaction.ts'
import { compareLists } from '../load/list-changes.ts'
import type { ListChange } from '../load/list-changes.ts'
import type { Writing, Written } from '../load/writing.ts'
import type { OpenRun } from './opening.ts'
import type { ListInMemory } from './responses-list.ts'
import { conclude, decideDeletions, loadRecords, partition, writeBatch, writingOf } from './write-batch.ts'
import type { Applied, Decisions, ListLoad, UnchangedLoad } from './write-batch.ts'

/** An event to be brought up to date: its record, and its responses unless they are unchanged. */
export type EventLoad = LoadInMemory | UnchangedLoad

type LoadInMemory = ListLoad<ListInMemory>

/** Loads events whose lists are in memory, in one transaction. */
export async function applyBatch(run: OpenRun, loads: readonly EventLoad[]): Promise<void> {
  const bytes = loads.reduce((sum, { list }) => sum + (list?.bytes ?? 0), 0)
  await writeBatch(run, bytes, (trx, decisions) => apply(trx, run, loads, decisions))
}

async function apply(
  trx: Transaction,
  run: OpenRun,
  loads: readonly EventLoad[],
  decisions: Decisions,
): Promise<Applied> {
  const lists = loads.filter((load): load is LoadInMemory => load.list !== null)
  const incoming = lists.map(({ event, list }) => ({ event_id: event.id, rows: list.inMemory }))
  const changes = await compareLists(trx, run.account.id, incoming)
  await decideDeletions(trx, run, lists, changes, decisions)
  const [newLists, oldLists] = partition(lists, ({ list }) => list.verdict !== 'same_body')
  const written = [
    ...(await loadRecords(trx, run, loads)),
    await loadLists(trx, run, writingOf(run, 'other'), newLists, changes),
    await loadLists(trx, run, writingOf(run, 'same_body'), oldLists, changes),
  ]
  return conclude(trx, run, { loads, changes, decisions, written })
}

/** Writes what is new or differs. */
async function loadLists(
  trx: Transaction,
  run: OpenRun,
  writing: Writing,
  lists: readonly LoadInMemory[],
  changes: ReadonlyMap<string, ListChange>,
): Promise<Written> {
  const rowsOf = (kind: 'added' | 'differing') =>
    lists.flatMap(({ event }) =>
      (changes.get(event.id)?.[kind] ?? []).map((response) => ({ event_id: event.id, response })),
    )
  return run.load.responses(trx, writing, rowsOf('added'), rowsOf('differing'))
}
