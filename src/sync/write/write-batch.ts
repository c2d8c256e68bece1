import type { Transaction } from '../../db/transaction.ts'
import { diffLists, type ListDiff } from '../../load/diff/list-diff.ts'
import type { WriteOptions } from '../../load/statements.ts'
import type { EmptiedList } from '../deletions/emptied-lists.ts'
import { decideDeletions, type DeletionDecisions } from '../deletions/decide-deletions.ts'
import { restoresPersonal } from '../select/selected-event.ts'
import type { RunContext } from '../run-context.ts'
import {
  finishBatch,
  writeEventRows,
  partition,
  runBatchTransaction,
  writeOptions,
  type BatchResult,
} from './batch-transaction.ts'
import type { EventWrite, BufferedWrite } from './event-write.ts'

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
  await runBatchTransaction(run, bytes, (trx, decisions) =>
    applyBatch(trx, run, loads, decisions, accountEmpty),
  )
}

function hasList(load: EventWrite): load is BufferedWrite {
  return load.list !== null
}

async function applyBatch(
  trx: Transaction,
  run: RunContext,
  given: readonly EventWrite[],
  decisions: DeletionDecisions,
  accountEmpty: boolean | null,
): Promise<BatchResult> {
  const batches = given.filter(hasList).map(({ list }) => list.batch)
  const changes = await diffLists(trx, batches)
  // guard: lists that became empty are decided last
  const emptied = accountEmpty === null ? emptiedOf(given, changes) : []
  const undecided = new Set(emptied.map(({ load }) => load))
  const loads = given.filter((load) => !undecided.has(load))
  const lists = loads.filter(hasList)
  await decideDeletions(trx, run, lists, changes, decisions, accountEmpty ?? false)
  const [newLists, oldLists] = partition(
    lists,
    ({ list }) => /* guard: our own version */ list.digestMatch !== 'renormalised',
  )
  const [restoredLists, otherLists] = partition(newLists, restoresPersonal)
  // guard: digest in the transaction
  const records = await writeEventRows(trx, run, loads)
  // Writes what is new or differs.
  const write = (options: WriteOptions, of: readonly BufferedWrite[]) => {
    const ofThese = of.flatMap(({ event }) => changes.get(event.id) ?? [])
    return run.mirror.load.responses(trx, options, ofThese)
  }
  const responses = [
    await write(writeOptions(run, 'other'), otherLists),
    await write(writeOptions(run, 'other', true), restoredLists),
    await write(writeOptions(run, 'renormalised'), oldLists),
  ]
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
