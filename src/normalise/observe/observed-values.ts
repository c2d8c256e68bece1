import type { JsonObject } from '../../common/json/exact.ts'
import type { Observation, ObservationKind } from '../../common/schema/items.ts'
import { MAX_VALUES, OTHER_VALUES, safeValue } from './safe-value.ts'

/** The distinct values of one thing in a list, each as far as it may be kept; values beyond the bound are one. */
export class ObservedValues {
  /** Null while there are none, as of most lists of most things. */
  #values: Set<string> | null = null
  readonly #path: string
  readonly #kind: ObservationKind
  /** Neighbours in a list are mostly alike: a value equal to the last one costs one comparison. */
  #last: string | null = null
  readonly #bytes: Buffer[] = []

  constructor(path: string, kind: ObservationKind) {
    this.#path = path
    this.#kind = kind
  }

  /** Whether these bytes are those of a value that was given to `addBytes`. */
  hasBytes(bytes: Buffer, start: number, end: number): boolean {
    for (const known of this.#bytes) if (isAt(bytes, start, end, known)) return true
    return false
  }

  /** Remembers the bytes of a value that was added and is kept as it is. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    if (this.#bytes.length < MAX_VALUES) this.#bytes.push(Buffer.from(bytes.subarray(start, end)))
  }

  has(value: string): boolean {
    if (value === this.#last) return true
    if (this.#values?.has(value) !== true) return false
    this.#last = value
    return true
  }

  add(value: string): void {
    if (this.has(value)) return
    const values = (this.#values ??= new Set())
    values.add(values.size < MAX_VALUES ? safeValue(value) : OTHER_VALUES)
  }

  /** Adds the keys that the specification does not name: they are in `_extra`, beside fields set aside. */
  addUnknown(extra: JsonObject | null, known: ReadonlySet<string>): void {
    if (extra !== null) for (const key in extra) if (!known.has(key)) this.add(key)
  }

  observations(): Observation[] {
    return Array.from(this.#values ?? [], (value) => ({ path: this.#path, kind: this.#kind, value }))
  }
}

function isAt(bytes: Buffer, start: number, end: number, wanted: Buffer): boolean {
  if (end - start !== wanted.length) return false
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false
  return true
}
