import type { MirrorTable, Plan, PlannedRow, RowCounts, TablePlan } from '../../common/schema/tables.ts'
import type { Difference } from '../diff/column-diff.ts'

type Operation = keyof TablePlan['counts']

/** Gathers what a run would touch: counts of all, and the first rows of each kind. */
export class PlannedRows {
  readonly plan: Plan = { events: empty(), responses: empty(), payments: empty(), slots: empty() }
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** How many rows are worth asking for, null without a bound: one at least, for it brings their number with it. */
  room(table: MirrorTable, operation: Operation): number | null {
    const room = Math.max(1, this.#most - this.plan[table][operation].length)
    return Number.isFinite(room) ? room : null
  }

  /** Notes rows; `total` when these are only the first of them. Gives how many there are. */
  add(
    table: MirrorTable,
    operation: Exclude<Operation, 'updated'>,
    rows: readonly PlannedRow[],
    total: number = rows.length,
  ): number {
    const plan = this.plan[table]
    plan.counts[operation] += total
    const room = this.#most - plan[operation].length
    if (room > 0) for (const row of rows.slice(0, room)) plan[operation].push(row)
    return total
  }

  /** Takes back what was planned to be held of a list of responses. @param total so many */
  takeBackHeld(event_id: string, total: number): void {
    if (total === 0) return
    const { counts, held } = this.plan.responses
    counts.held -= total
    const others = held.filter((row) => row.event_id !== event_id)
    held.splice(0, held.length, ...others)
  }

  /** Notes the rows of one table that differ, are missing or extra. */
  differing(table: MirrorTable, differences: readonly Difference[]): RowCounts {
    const counts = { inserted: 0, updated: 0, deleted: 0 }
    for (const [first, ...rest] of byRow(differences)) {
      const row = rowOf(first)
      if (first.difference === 'missing') counts.inserted += this.add(table, 'inserted', [row])
      else if (first.difference === 'extra') counts.deleted += this.add(table, 'deleted', [row])
      else
        counts.updated += this.#update(
          table,
          row,
          [first, ...rest].flatMap(({ column }) => column ?? []),
        )
    }
    return counts
  }

  /** Notes responses that differ, in their own columns or in what hangs on them. */
  updateResponses(
    keys: readonly { readonly event_id: string; readonly id: string }[],
    differences: readonly Difference[],
  ): number {
    const columns = new Map<string, Set<string>>()
    const nameOf = (event_id: string, id: string | null) => `${id} ${event_id}`
    for (const { table, event_id, response_id, column } of differences) {
      const name = nameOf(event_id, response_id)
      const known = columns.get(name) ?? new Set()
      columns.set(
        name,
        known.add(table === 'responses' ? (column ?? '') : table === 'payments' ? 'payment' : 'slots'),
      )
    }
    for (const { event_id, id } of keys) {
      this.#update('responses', { event_id, response_id: id }, [...(columns.get(nameOf(event_id, id)) ?? [])])
    }
    return keys.length
  }

  #update(table: MirrorTable, row: PlannedRow, columns: readonly string[]): 1 {
    const plan = this.plan[table]
    plan.counts.updated += 1
    for (const column of columns) plan.columns[column] = (plan.columns[column] ?? 0) + 1
    if (plan.updated.length < this.#most) plan.updated.push({ ...row, columns })
    return 1
  }
}

function empty(): TablePlan {
  return {
    counts: { inserted: 0, updated: 0, deleted: 0, held: 0 },
    columns: {},
    inserted: [],
    updated: [],
    deleted: [],
    held: [],
  }
}

/** Differences come sorted by row. */
function byRow(differences: readonly Difference[]): [Difference, ...Difference[]][] {
  const rows: [Difference, ...Difference[]][] = []
  for (const difference of differences) {
    const last = rows.at(-1)
    if (last !== undefined && isSameRow(last[0], difference)) last.push(difference)
    else rows.push([difference])
  }
  return rows
}

function isSameRow(one: Difference, other: Difference): boolean {
  return (
    one.event_id === other.event_id &&
    one.response_id === other.response_id &&
    one.position === other.position
  )
}

function rowOf({ event_id, response_id, position }: Difference): PlannedRow {
  return {
    event_id,
    ...(response_id !== null && { response_id }),
    ...(position !== null && { position }),
  }
}
