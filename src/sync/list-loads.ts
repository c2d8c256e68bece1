/** The lists of a batch beside the live rows, and into them. */
import type { ResponseItem } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { compareIds, LargeListChange } from '../load/large-list-changes.ts'
import { compareLists } from '../load/list-changes.ts'
import type { ListChange } from '../load/list-changes.ts'
import { oneAhead } from '../load/one-ahead.ts'
import { addCounts } from '../load/writing.ts'
import type { Writing, Written } from '../load/writing.ts'
import type { OpenRun } from './opening.ts'
import type { ResponsesList } from './responses-list.ts'

/** By event. */
export type Changes = ReadonlyMap<string, ListChange | LargeListChange>

interface Listed {
  readonly event: { readonly id: string }
  readonly list: ResponsesList
}

/** Lists in memory are compared all at once; of a large one only the ids, its rows follow when they are loaded. */
export async function compareAll(
  trx: Transaction,
  account: number,
  lists: readonly Listed[],
): Promise<Changes> {
  const inMemory = lists.flatMap(({ event, list }) =>
    list.inMemory === null ? [] : [{ event_id: event.id, rows: list.inMemory }],
  )
  const changes = new Map<string, ListChange | LargeListChange>(await compareLists(trx, account, inMemory))
  for (const { event, list } of lists) {
    if (list.inMemory === null) changes.set(event.id, await compareIds(trx, account, event.id, list))
  }
  return changes
}

/** Writes what is new or differs. */
export async function loadLists(
  trx: Transaction,
  run: OpenRun,
  writing: Writing,
  lists: readonly Listed[],
  changes: Changes,
): Promise<Written> {
  const rowsOf = (kind: 'added' | 'differing') =>
    lists.flatMap(({ event }) => {
      const change = changes.get(event.id)
      return change === undefined || change instanceof LargeListChange ? [] : of(event.id, change[kind])
    })
  const written = await run.load.responses(trx, writing, rowsOf('added'), rowsOf('differing'))
  const events = new Set(written.events)
  for (const { event, list } of lists) {
    const change = changes.get(event.id)
    if (!(change instanceof LargeListChange)) continue
    // The next piece is read and parsed while the database works on this one.
    for await (const rows of oneAhead(list.rows())) {
      const { added, differing } = await change.compare(trx, writing.account, rows)
      const piece = await run.load.responses(trx, writing, of(event.id, added), of(event.id, differing))
      addCounts(written.rows, piece.rows)
      for (const id of piece.events) events.add(id)
    }
    await change.compareAbsent(trx, writing.account)
  }
  return { rows: written.rows, events }
}

function of(event_id: string, responses: readonly ResponseItem[]) {
  return responses.map((response) => ({ event_id, response }))
}
