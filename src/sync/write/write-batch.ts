import type { Transaction } from '../../db/transaction.ts'
import { compareLists } from '../../load/diff/list-diff.ts'
import type { ListChange } from '../../load/diff/list-diff.ts'
import { areNew } from '../../load/write/new-lists.ts'
import type { Writing, Written } from '../../load/statements.ts'
import type { EmptiedList } from '../deletions/emptied-lists.ts'
import { decideDeletions } from '../deletions/decide-deletions.ts'
import type { RunContext } from '../run-context.ts'
import { conclude, loadRecords, partition, writeBatch, writingOf } from './batch-transaction.ts'
import type { Applied } from './batch-transaction.ts'
import type { Decisions } from '../deletions/decisions.ts'
import type { EventLoad, LoadInMemory, NewLoad } from './event-write.ts'

/**
 * Loads events whose lists are in memory, in one transaction.
 *
 * @param accountEmpty whether the account looks empty; null as long as that is not known: then events whose list became
 *   empty are left as they are, and noted in `run.deletions.listsRead`
 */
export async function applyBatch(
  run: RunContext,
  loads: readonly EventLoad[],
  accountEmpty: boolean | null,
): Promise<void> {
  const bytes = loads.reduce((sum, { list }) => sum + (list?.bytes ?? 0), 0)
  await writeBatch(run, bytes, async (trx, decisions) =>
    apply(trx, run, await withoutKnown(trx, run, loads), decisions, accountEmpty),
  )
}

/** The loads, with rows that can be compared in place of encoded ones should something of these be live. */
async function withoutKnown(
  trx: Transaction,
  run: RunContext,
  loads: readonly EventLoad[],
): Promise<readonly EventLoad[]> {
  const ids = loads.filter(isNew).map(({ event }) => event.id)
  if (ids.length === 0 || (await areNew(trx, run.mirror.account.id, ids))) return loads
  return Promise.all(
    loads.map(async (load) => (isNew(load) ? { ...load, list: await load.list.read() } : load)),
  )
}

function isNew(load: EventLoad): load is NewLoad {
  return load.list !== null && 'encoded' in load.list
}

function isInMemory(load: EventLoad): load is LoadInMemory {
  return load.list !== null && !isNew(load)
}

async function apply(
  trx: Transaction,
  run: RunContext,
  given: readonly EventLoad[],
  decisions: Decisions,
  accountEmpty: boolean | null,
): Promise<Applied> {
  const incoming = given
    .filter(isInMemory)
    .map(({ event, list }) => ({ event_id: event.id, rows: list.inMemory }))
  const changes = await compareLists(trx, run.mirror.account.id, incoming)
  const emptied = accountEmpty === null ? emptiedOf(given, changes) : []
  const undecided = new Set(emptied.map(({ load }) => load))
  const loads = given.filter((load) => !undecided.has(load))
  const lists = loads.filter(isInMemory)
  await decideDeletions(trx, run, lists, changes, decisions, accountEmpty ?? false)
  const [newLists, oldLists] = partition(lists, ({ list }) => list.verdict !== 'same_body')
  const records = await loadRecords(trx, run, loads)
  const responses = [
    await loadLists(trx, run, writingOf(run, 'other'), newLists, changes),
    await loadLists(trx, run, writingOf(run, 'same_body'), oldLists, changes),
  ]
  const encoded = loads.filter(isNew).map(({ list }) => list.encoded)
  if (run.mirror.load.newLists !== null) responses.push(await run.mirror.load.newLists(trx, encoded))
  return { ...(await conclude(trx, run, { loads, changes, decisions, records, responses })), emptied }
}

/** Lists that came back without an item, and of which something is live. */
function emptiedOf(
  loads: readonly EventLoad[],
  changes: ReadonlyMap<string, ListChange>,
): readonly EmptiedList[] {
  return loads.flatMap((load) => {
    const rows = changes.get(load.event.id)?.live ?? 0
    return load.list?.length === 0 && rows > 0 ? { load, rows } : []
  })
}

/** Writes what is new or differs. */
async function loadLists(
  trx: Transaction,
  run: RunContext,
  writing: Writing,
  lists: readonly LoadInMemory[],
  changes: ReadonlyMap<string, ListChange>,
): Promise<Written> {
  const rowsOf = (kind: 'added' | 'differing') =>
    lists.flatMap(({ event }) =>
      (changes.get(event.id)?.[kind] ?? []).map((response) => ({ event_id: event.id, response })),
    )
  return run.mirror.load.responses(trx, writing, rowsOf('added'), rowsOf('differing'))
}
