/** The live tables are what the service answers: told from the account itself, without the model of a run. */
import type { Account } from '../account/account.ts'
import { requireEqual } from './judge.ts'
import type { Mirror } from '../model/mirror.ts'
import { idOf } from '../account/items.ts'
import type { Item } from '../account/items.ts'

export function requireServed({ events }: Account, mirror: Mirror): void {
  const live = [...mirror].filter(([, { record }]) => record !== null)
  const served = events.flatMap(({ item }) => idOf(item) ?? [])
  const spoilt = new Set(events.flatMap(({ item }) => (item.row === null ? (item.id ?? []) : [])))
  // What is served but cannot be stored keeps the row it had, when it had one.
  const liveIds = live.map(([id]) => id).filter((id) => !spoilt.has(id))
  const servedIds = served.filter((id) => !spoilt.has(id))
  requireEqual(liveIds.toSorted(), servedIds.toSorted(), 'the events in the end')
  for (const { item, responses } of events) {
    const id = idOf(item)
    const unit = mirror.get(id ?? '')
    if (item.row !== null) requireEqual(unit?.record, item.row, `event ${id} in the end`)
    else if (id === null || unit === undefined || unit.record === null) continue
    const kept = new Set(responses.flatMap((response) => (response.row === null ? (response.id ?? []) : [])))
    const rows = [...(unit?.responses ?? [])].filter(([id]) => !kept.has(id))
    requireEqual(sorted(rows), sorted([...latest(responses)]), `the responses of ${id} in the end`)
  }
}

function latest<Row extends { readonly id: string; readonly updated_at: string | null }>(
  items: readonly Item<Row>[],
): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const { row } of items) {
    if (row === null) continue
    const former = rows.get(row.id)
    if (former === undefined || (row.updated_at ?? '') >= (former.updated_at ?? '')) rows.set(row.id, row)
  }
  return rows
}

function sorted<T>(rows: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return rows.toSorted(([a], [b]) => (a < b ? -1 : 1))
}
