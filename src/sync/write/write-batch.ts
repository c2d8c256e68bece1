import type { Transaction } from '../../db/transaction.ts'
import { diffLists, type ListDiff } from '../../load/diff/list-diff.ts'
import { haveNoRows } from '../../load/write/new-lists.ts'
import type { WriteOptions, WriteResult } from '../../load/statements.ts'
import type { EmptiedList } from '../deletions/emptied-lists.ts'
import { decideDeletions, type DeletionDecisions } from '../deletions/decide-deletions.ts'
import type { RunContext } from '../run-context.ts'
import {
  finishBatch,
  writeEventRows,
  partition,
  runBatchTransaction,
  writeOptions,
  type BatchResult,
} from './batch-transaction.ts'
import type { EventWrite, BufferedWrite, EncodedWrite } from './event-write.ts'

/**
 * Loads events whose lists are in memory, in one transaction.
 *
 * @param accountEmpty whether the account looks empty; null as long as that is not known: then events whose list became
 *   empty are left as they are, and noted in `run.deletions.listsRead`
 */
export async function writeEventBatch(
  run: RunContext,
  loads: readonly EventWrite[],
  accountEmpty: boolean | null,
): Promise<void> {
  const bytes = loads.reduce((sum, { list }) => sum + (list?.bytes ?? 0), 0)
  await runBatchTransaction(run, bytes, async (trx, decisions) =>
    apply(trx, run, await decodeIfRowsExist(trx, run, loads), decisions, accountEmpty),
  )
}

/** The events; where live rows exist, with rows that can be compared in place of encoded ones. */
async function decodeIfRowsExist(
  trx: Transaction,
  run: RunContext,
  loads: readonly EventWrite[],
): Promise<readonly EventWrite[]> {
  const ids = loads.filter(isNew).map(({ event }) => event.id)
  if (ids.length === 0 || (await haveNoRows(trx, run.mirror.account.id, ids))) return loads
  return Promise.all(
    loads.map(async (load) => (isNew(load) ? { ...load, list: await load.list.read() } : load)),
  )
}

function isNew(load: EventWrite): load is EncodedWrite {
  return load.list !== null && 'encoded' in load.list
}

function isInMemory(load: EventWrite): load is BufferedWrite {
  return load.list !== null && !isNew(load)
}

async function apply(
  trx: Transaction,
  run: RunContext,
  given: readonly EventWrite[],
  decisions: DeletionDecisions,
  accountEmpty: boolean | null,
): Promise<BatchResult> {
  const incoming = given
    .filter(isInMemory)
    .map(({ event, list }) => ({ event_id: event.id, rows: list.buffered }))
  const changes = await diffLists(trx, run.mirror.account.id, incoming)
  // guard: lists that became empty are decided last
  const emptied = accountEmpty === null ? emptiedOf(given, changes) : []
  const undecided = new Set(emptied.map(({ load }) => load))
  const loads = given.filter((load) => !undecided.has(load))
  const lists = loads.filter(isInMemory)
  await decideDeletions(trx, run, lists, changes, decisions, accountEmpty ?? false)
  const [newLists, oldLists] = partition(
    lists,
    ({ list }) => /* guard: our own version */ list.digestMatch !== 'renormalised',
  )
  // guard: digest in the transaction
  const records = await writeEventRows(trx, run, loads)
  const responses = [
    await loadLists(trx, run, writeOptions(run, 'other'), newLists, changes),
    await loadLists(trx, run, writeOptions(run, 'renormalised'), oldLists, changes),
  ]
  const encoded = loads.filter(isNew).map(({ list }) => list.encoded)
  if (run.mirror.load.newLists !== null) responses.push(await run.mirror.load.newLists(trx, encoded))
  return { ...(await finishBatch(trx, run, { loads, changes, decisions, records, responses })), emptied }
}

/** Lists that came back without an item, and of which something is live. */
function emptiedOf(
  loads: readonly EventWrite[],
  changes: ReadonlyMap<string, ListDiff>,
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
  writing: WriteOptions,
  lists: readonly BufferedWrite[],
  changes: ReadonlyMap<string, ListDiff>,
): Promise<WriteResult> {
  const rowsOf = (kind: 'added' | 'differing') =>
    lists.flatMap(({ event }) =>
      (changes.get(event.id)?.[kind] ?? []).map((response) => ({ event_id: event.id, response })),
    )
  return run.mirror.load.responses(trx, writing, rowsOf('added'), rowsOf('differing'))
}
