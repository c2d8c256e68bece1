import type { ObservationKind, Observation } from '../../common/schema/items.ts'
import { Counts } from './counts.ts'
import type { Countable } from './counts.ts'
import { OTHERS, quotable } from './safe-value.ts'

/** One thing that is counted, and how its counts are told as observations. */
export interface Series<Value extends Countable> {
  /** How many values are told apart. */
  readonly most?: number
  readonly tell: (entries: readonly (readonly [Value | typeof OTHERS, number])[]) => readonly Observation[]
}

/** Texts, each told as it is as far as it may be kept. */
export function textsOf(path: string, kind: ObservationKind): Series<string> {
  return { tell: (entries) => entries.map(([value, count]) => ({ path, kind, value, count })) }
}

/** What lists show of what the specification leaves open. Counted in a form that is cheap to add up; told once. */
export class Observed {
  readonly #numbers = new Map<Series<number>, Counts<number>>()
  readonly #texts = new Map<Series<string>, Counts<string>>()

  numbers(series: Series<number>): Counts<number> {
    return countsOf(this.#numbers, series)
  }

  texts(series: Series<string>): Counts<string> {
    return countsOf(this.#texts, series)
  }

  /** Adds what another list showed. */
  add(other: Observed): void {
    for (const [series, counts] of other.#numbers) {
      const sum = this.numbers(series)
      for (const [value, times] of counts.entries()) sum.add(value, times)
    }
    for (const [series, counts] of other.#texts) {
      const sum = this.texts(series)
      for (const [value, times] of counts.entries()) sum.add(quotable(value), times)
    }
  }

  /** Each fact once, in no order. */
  tell(): readonly Observation[] {
    const told = new Map<string, Observation>()
    for (const { path, kind, value, count } of this.#observations()) {
      const key = JSON.stringify([path, kind, value])
      const before = told.get(key)?.count ?? 0
      if (before + count > 0) told.set(key, { path, kind, value, count: before + count })
    }
    return [...told.values()]
  }

  *#observations(): Generator<Observation> {
    for (const [series, counts] of this.#numbers) yield* series.tell(counts.entries())
    for (const [series, counts] of this.#texts) {
      yield* series.tell(counts.entries().map(([value, times]) => [quotable(value), times]))
    }
  }
}

function countsOf<Value extends Countable>(
  all: Map<Series<Value>, Counts<Value>>,
  series: Series<Value>,
): Counts<Value> {
  const known = all.get(series)
  if (known !== undefined) return known
  const counts = new Counts<Value>(series.most)
  all.set(series, counts)
  return counts
}
