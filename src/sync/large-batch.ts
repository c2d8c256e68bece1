import type { ResponseItem } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { beginLargeListChange } from '../load/large-list-changes.ts'
import { oneAhead } from '../load/one-ahead.ts'
import { addCounts, noCounts } from '../load/writing.ts'
import type { Written } from '../load/writing.ts'
import type { DueEvent } from './due.ts'
import type { LargeResponses } from './large-responses.ts'
import type { OpenRun } from './opening.ts'
import type { ResponsesList } from './responses-list.ts'
import { conclude, decideDeletions, loadRecords, tellList, writeBatch, writingOf } from './write-batch.ts'
import type { Applied, Decisions } from './write-batch.ts'

/** An event whose list is too large for memory. */
export type LargeLoad = DueEvent & { readonly large: LargeResponses }

/**
 * Loads an event whose list is too large for memory, in one transaction: the list is read from its file while its rows
 * are written, once if its ids follow in one direction. What it shows is known at the end.
 *
 * @throws ContractError when the list turns out to be none, TemporaryFileError: nothing of it is stored then.
 */
export async function applyLarge(run: OpenRun, load: LargeLoad): Promise<void> {
  const work = (trx: Transaction, decisions: Decisions) => apply(trx, run, load, decisions)
  await writeBatch(run, load.large.bytes, work, (lists) => {
    for (const { list } of lists) tellList(run.tally, load, list)
  })
}

async function apply(
  trx: Transaction,
  run: OpenRun,
  { large, ...due }: LargeLoad,
  decisions: Decisions,
): Promise<Applied> {
  const { id } = due.event
  const account = run.account.id
  const change = await beginLargeListChange(trx, account, id)
  // What the brake goes by is counted before any row of this list is there.
  if (change.live > 0) await run.liveAtStart(trx.kysely)
  const records = await loadRecords(trx, run, [{ ...due, list: large }])
  const write = async (into: RowsWritten, rows: readonly ResponseItem[]): Promise<void> => {
    const { added, differing } = await change.compare(trx, account, rows)
    const of = (responses: readonly ResponseItem[]) =>
      responses.map((response) => ({ event_id: id, response }))
    into.add(await run.load.responses(trx, writingOf(run, large.verdict), of(added), of(differing)))
  }
  const { list, written } = await writeRows(trx, run, large, write)
  const changes = new Map([[id, await change.end(trx, account, list)]])
  const loads = [{ ...due, list }]
  await decideDeletions(trx, run, loads, changes, decisions)
  return conclude(trx, run, { loads, changes, decisions, records, responses: [written] })
}

/** What the pieces of a list wrote, together. */
class RowsWritten implements Written {
  readonly rows = noCounts()
  readonly events = new Set<string>()

  add(piece: Written): void {
    addCounts(this.rows, piece.rows)
    for (const id of piece.events) this.events.add(id)
  }
}

/**
 * Writes the rows while the list is read for the first time. Should that not give all of them, what was written is taken
 * back, and they are read once more. A plan takes nothing back: it only begins when the list is known.
 */
async function writeRows(
  trx: Transaction,
  run: OpenRun,
  large: LargeResponses,
  write: (into: RowsWritten, rows: readonly ResponseItem[]) => Promise<void>,
): Promise<{ readonly list: ResponsesList; readonly written: Written }> {
  const isPlan = run.plan !== null
  const first = new RowsWritten()
  if (!isPlan) await trx.query('savepoint first_reading')
  const { list, gaveAll } = await large.readThrough((rows) => (isPlan ? nothing() : write(first, rows)))
  if (gaveAll && !isPlan) return { list, written: first }
  if (!isPlan) await trx.query('rollback to savepoint first_reading')
  const second = new RowsWritten()
  for await (const rows of oneAhead(list.rows())) await write(second, rows)
  return { list, written: second }
}

async function nothing(): Promise<void> {}
