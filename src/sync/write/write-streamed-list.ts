import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import type { Transaction } from '../../db/transaction.ts'
import { startStreamedListDiff } from '../../load/diff/streamed-list-diff.ts'
import { prefetch } from '../../load/prefetch.ts'
import { addCounts, noCounts, type WriteResult } from '../../load/statements.ts'
import { decideDeletions, type DeletionDecisions } from '../deletions/decide-deletions.ts'
import { OutOfOrderError } from '../fetch/streamed-responses.ts'
import { restoresPersonal } from '../select/selected-event.ts'
import type { RunContext } from '../run-context.ts'
import type { ResponseList } from '../fetch/response-list.ts'
import {
  finishBatch,
  writeEventRows,
  reportList,
  runBatchTransaction,
  writeOptions,
  type BatchResult,
} from './batch-transaction.ts'
import type { StreamedWrite } from './event-write.ts'

/** What gives the rows of a list, and the list itself when all were given. */
interface Rows {
  readonly rows: AsyncGenerator<ResponseBatch, void>
  readonly end: () => Promise<ResponseList>
}

/**
 * Loads an event whose list is too large for memory, in one transaction: the list is read from its file while its rows
 * are written, once if its ids follow in one direction.
 *
 * If they do not, what was written is taken back, and the rest is read outside of any transaction: for minutes there would be nothing
 * to send, and the server ends a transaction that is idle. Then the rows are written in another one. A plan takes nothing back: it only
 * begins when the list is known.
 *
 * @throws InvalidResponseError when the list turns out to be none, TemporaryFileError, TransactionFailedError: nothing of it is
 * stored then.
 */
export async function writeStreamedList(run: RunContext, load: StreamedWrite): Promise<void> {
  const { large } = load
  const write = (rows: () => Rows) =>
    runBatchTransaction(
      run,
      large.bytes,
      (trx, decisions) => applyList(trx, run, load, rows(), decisions),
      (lists) => {
        for (const { list } of lists) reportList(run, load, list)
      },
    )
  try {
    if (run.mirror.plan === null) {
      return await write(() => ({ rows: large.batchesInOrder(), end: () => large.readThrough() }))
    }
  } catch (error) {
    if (!(error instanceof OutOfOrderError)) throw error
  }
  const list = await large.readThrough()
  await write(() => ({ /* guard: idle transactions */ rows: list.batches(), end: async () => list }))
}

async function applyList(
  trx: Transaction,
  run: RunContext,
  { large, ...due }: StreamedWrite,
  { rows, end }: Rows,
  decisions: DeletionDecisions,
): Promise<BatchResult> {
  const { id } = due.event
  const account = run.mirror.account.id
  const change = await startStreamedListDiff(trx, account, id)
  // The budget of deletions is counted before any row of this list is there.
  if (change.live > 0) await run.initial.liveCounts(trx.kysely)
  const records = await writeEventRows(trx, run, [{ ...due, list: large }])
  const writing = writeOptions(run, large.digestMatch, restoresPersonal(due))
  const written = new RowsWritten()
  for await (const some of prefetch(trx, rows)) {
    const changes = await change.compare(trx, some)
    written.add(await run.mirror.load.responses(trx, writing, [changes]))
  }
  const list = await end()
  const changes = new Map([[id, await change.finish(trx, account, list)]])
  const loads = [{ ...due, list }]
  // A body of megabytes without an item is no list that an organiser has emptied.
  await decideDeletions(trx, run, loads, changes, decisions, list.length === 0)
  return finishBatch(trx, run, { loads, changes, decisions, records, responses: [written] })
}

/** What the chunks of a list wrote, together. */
class RowsWritten implements WriteResult {
  readonly rows = noCounts()
  readonly events = new Set<string>()

  add(chunk: WriteResult): void {
    addCounts(this.rows, chunk.rows)
    for (const id of chunk.events) this.events.add(id)
  }
}
