import type { MirrorTable, Plan, PlannedRow, RowCounts, TablePlan } from '../../common/schema/tables.ts'
import type { Difference } from '../diff/column-diff.ts'
import type { LabelOf } from '../live-labels.ts'

type PlannedOperation = keyof TablePlan['counts']

/** The changes that a run would make: all are counted, the first rows of each kind are listed. */
export class ChangePlan {
  readonly plan: Plan = { events: empty(), responses: empty(), payments: empty(), slots: empty() }
  readonly #maxListed: number

  constructor(maxListed: number) {
    this.#maxListed = maxListed
  }

  /** How many more rows can be listed; null without a limit. At least 1: the first row carries the total count. */
  remaining(table: MirrorTable, operation: PlannedOperation): number | null {
    const remaining = Math.max(1, this.#maxListed - this.plan[table][operation].length)
    return Number.isFinite(remaining) ? remaining : null
  }

  /** False when every row is listed, which is for programs. */
  get hasLabels(): boolean {
    return Number.isFinite(this.#maxListed)
  }

  /** The rows that are listed and have no label yet. */
  unlabelled(): readonly PlannedRow[] {
    return this.hasLabels
      ? this.#lists().flatMap((rows) => rows.filter(({ label }) => label === undefined))
      : []
  }

  label(labelOf: LabelOf): void {
    for (const rows of this.#lists())
      for (const [index, row] of rows.entries()) {
        const label = row.label ?? labelOf(row)
        if (label !== null) rows[index] = { ...row, label }
      }
  }

  #lists(): readonly PlannedRow[][] {
    return Object.values(this.plan).flatMap(({ inserted, updated, deleted, held }) => [
      inserted,
      updated,
      deleted,
      held,
    ])
  }

  /**
   * Adds rows to the plan.
   *
   * @param total how many there are, when these are only the first of them
   * @returns how many there are
   */
  add(
    table: MirrorTable,
    operation: Exclude<PlannedOperation, 'updated'>,
    rows: readonly PlannedRow[],
    total: number = rows.length,
  ): number {
    const plan = this.plan[table]
    plan.counts[operation] += total
    const remaining = this.#maxListed - plan[operation].length
    if (remaining > 0) for (const row of rows.slice(0, remaining)) plan[operation].push(row)
    return total
  }

  /** Removes the held deletions of a response list from the plan. @param total how many were planned */
  removeHeld(event_id: string, total: number): void {
    if (total === 0) return
    const { counts, held } = this.plan.responses
    counts.held -= total
    const others = held.filter((row) => row.event_id !== event_id)
    held.splice(0, held.length, ...others)
  }

  /** Adds the rows of one table that differ, or that only one side has. */
  addDifferences(table: MirrorTable, differences: readonly Difference[]): RowCounts {
    const counts = { inserted: 0, updated: 0, deleted: 0 }
    const byRow = Map.groupBy(
      differences,
      ({ event_id, response_id, position }) => `${response_id} ${position} ${event_id}`,
    )
    for (const ofRow of byRow.values()) {
      const [first] = ofRow
      if (first === undefined) continue
      const row = rowOf(first)
      if (first.difference === 'missing') counts.inserted += this.add(table, 'inserted', [row])
      else if (first.difference === 'extra') counts.deleted += this.add(table, 'deleted', [row])
      else {
        const columns = ofRow.flatMap(({ column }) => column ?? [])
        counts.updated += this.#update(table, row, columns)
      }
    }
    return counts
  }

  /** Adds responses that differ in their own columns, their payment or their slots. */
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
    if (plan.updated.length < this.#maxListed) plan.updated.push({ ...row, columns })
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

function rowOf({ event_id, response_id, position }: Difference): PlannedRow {
  return {
    event_id,
    ...(response_id !== null && { response_id }),
    ...(position !== null && { position }),
  }
}
