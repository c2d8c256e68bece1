import type { JsonObject } from '../../common/json/exact.ts'
import type { Observation, ObservationKind } from '../../common/schema/items.ts'
import { MAX_VALUES, OTHER_VALUES, safeValue } from './safe-value.ts'

/** The distinct values of one thing in a list, each as far as it may be kept; values beyond the bound are one. */
export class ObservedValues {
  readonly #values = new Set<string>()
  readonly #path: string
  readonly #kind: ObservationKind
  /** Neighbours in a list are mostly alike: a value equal to the last one costs one comparison. */
  #last: string | null = null
  #lastBytes: Buffer | null = null

  constructor(path: string, kind: ObservationKind) {
    this.#path = path
    this.#kind = kind
  }

  /** Whether these bytes are those of the last value; they are remembered. */
  isLast(bytes: Buffer, start: number, end: number): boolean {
    const last = this.#lastBytes
    if (last?.length === end - start && bytes.compare(last, 0, last.length, start, end) === 0) return true
    this.#lastBytes = Buffer.from(bytes.subarray(start, end))
    return false
  }

  has(value: string): boolean {
    if (value === this.#last) return true
    if (!this.#values.has(value)) return false
    this.#last = value
    return true
  }

  add(value: string): void {
    if (this.has(value)) return
    this.#values.add(this.#values.size < MAX_VALUES ? safeValue(value) : OTHER_VALUES)
  }

  /** Adds the keys that the specification does not name: they are in `_extra`, beside fields set aside. */
  addUnknown(extra: JsonObject | null, known: ReadonlySet<string>): void {
    if (extra !== null) for (const key in extra) if (!known.has(key)) this.add(key)
  }

  observations(): Observation[] {
    return Array.from(this.#values, (value) => ({ path: this.#path, kind: this.#kind, value }))
  }
}
