import type { Transaction } from '../db/transaction.ts'
import { compareLists } from '../load/list-changes.ts'
import type { ListChange } from '../load/list-changes.ts'
import { areNew } from '../load/new-lists.ts'
import type { Writing, Written } from '../load/writing.ts'
import type { OpenRun } from './opening.ts'
import type { ListInMemory, NewList } from './responses-list.ts'
import { conclude, decideDeletions, loadRecords, partition, writeBatch, writingOf } from './write-batch.ts'
import type { Applied, Decisions, ListLoad, UnchangedLoad } from './write-batch.ts'

/** An event to be brought up to date: its record, and its responses unless they are unchanged. */
export type EventLoad = NewLoad | LoadInMemory | UnchangedLoad

type NewLoad = ListLoad<NewList>

type LoadInMemory = ListLoad<ListInMemory>

/** Loads events whose lists are in memory, in one transaction. */
export async function applyBatch(run: OpenRun, loads: readonly EventLoad[]): Promise<void> {
  const bytes = loads.reduce((sum, { list }) => sum + (list?.bytes ?? 0), 0)
  await writeBatch(run, bytes, async (trx, decisions) =>
    apply(trx, run, await withoutKnown(trx, run, loads), decisions),
  )
}

/** The loads, with rows that can be compared in place of encoded ones should something of these be live. */
async function withoutKnown(
  trx: Transaction,
  run: OpenRun,
  loads: readonly EventLoad[],
): Promise<readonly EventLoad[]> {
  const ids = loads.filter(isNew).map(({ event }) => event.id)
  if (ids.length === 0 || (await areNew(trx, run.account.id, ids))) return loads
  return Promise.all(
    loads.map(async (load) => (isNew(load) ? { ...load, list: await load.list.read() } : load)),
  )
}

function isNew(load: EventLoad): load is NewLoad {
  return load.list !== null && 'encoded' in load.list
}

async function apply(
  trx: Transaction,
  run: OpenRun,
  loads: readonly EventLoad[],
  decisions: Decisions,
): Promise<Applied> {
  const lists = loads.filter((load): load is LoadInMemory => load.list !== null && !isNew(load))
  const incoming = lists.map(({ event, list }) => ({ event_id: event.id, rows: list.inMemory }))
  const changes = await compareLists(trx, run.account.id, incoming)
  await decideDeletions(trx, run, lists, changes, decisions)
  const [newLists, oldLists] = partition(lists, ({ list }) => list.verdict !== 'same_body')
  const records = await loadRecords(trx, run, loads)
  const responses = [
    await loadLists(trx, run, writingOf(run, 'other'), newLists, changes),
    await loadLists(trx, run, writingOf(run, 'same_body'), oldLists, changes),
  ]
  const encoded = loads.filter(isNew).map(({ list }) => list.encoded)
  if (run.load.newLists !== null) responses.push(await run.load.newLists(trx, encoded))
  return conclude(trx, run, { loads, changes, decisions, records, responses })
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
