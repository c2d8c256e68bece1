import type { ObservationKind, Observation } from '../../common/schema/items.ts'
import { ValueCounts } from './counts.ts'
import type { Countable } from './counts.ts'
import { OTHER_VALUES, safeValue } from './safe-value.ts'

/** One thing that is counted, and how its counts are told as observations. */
export interface Metric<Value extends Countable> {
  /** How many values are told apart. */
  readonly maxValues?: number
  readonly toObservations: (
    entries: readonly (readonly [Value | typeof OTHER_VALUES, number])[],
  ) => readonly Observation[]
}

/** Texts, each told as it is as far as it may be kept. */
export function textMetric(path: string, kind: ObservationKind): Metric<string> {
  return { toObservations: (entries) => entries.map(([value, count]) => ({ path, kind, value, count })) }
}

/** What lists show of what the specification leaves open. Counted in a form that is cheap to add up; told once. */
export class ObservationCounter {
  readonly #numbers = new Map<Metric<number>, ValueCounts<number>>()
  readonly #texts = new Map<Metric<string>, ValueCounts<string>>()

  numbers(series: Metric<number>): ValueCounts<number> {
    return countsOf(this.#numbers, series)
  }

  texts(series: Metric<string>): ValueCounts<string> {
    return countsOf(this.#texts, series)
  }

  /** Adds what another list showed. */
  add(other: ObservationCounter): void {
    for (const [series, counts] of other.#numbers) {
      const sum = this.numbers(series)
      for (const [value, times] of counts.entries()) sum.add(value, times)
    }
    for (const [series, counts] of other.#texts) {
      const sum = this.texts(series)
      for (const [value, times] of counts.entries()) sum.add(safeValue(value), times)
    }
  }

  /** Each fact once, in no order. */
  toObservations(): readonly Observation[] {
    const told = new Map<string, Observation>()
    for (const { path, kind, value, count } of this.#observations()) {
      const key = JSON.stringify([path, kind, value])
      const before = told.get(key)?.count ?? 0
      if (before + count > 0) told.set(key, { path, kind, value, count: before + count })
    }
    return [...told.values()]
  }

  *#observations(): Generator<Observation> {
    for (const [series, counts] of this.#numbers) yield* series.toObservations(counts.entries())
    for (const [series, counts] of this.#texts) {
      yield* series.toObservations(counts.entries().map(([value, times]) => [safeValue(value), times]))
    }
  }
}

function countsOf<Value extends Countable>(
  all: Map<Metric<Value>, ValueCounts<Value>>,
  series: Metric<Value>,
): ValueCounts<Value> {
  const known = all.get(series)
  if (known !== undefined) return known
  const counts = new ValueCounts<Value>(series.maxValues)
  all.set(series, counts)
  return counts
}
