import type { JsonObject } from '../../common/json/exact.ts'
import type { Observation } from '../../common/schema/items.ts'

const BITS = 2
const NULL = 0b01
const VALUE = 0b10

/**
 * Which of these fields an item has, as one number with two bits for each, the last field's the lowest. The bits of
 * several items may be put into one by `|`.
 */
export function fieldMask(item: JsonObject, fields: readonly string[]): number {
  let mask = 0
  for (const field of fields) {
    const value = item[field]
    mask = (mask << BITS) | (value === undefined ? 0 : value === null ? NULL : VALUE)
  }
  return mask
}

/** The fields that had a value in one item at least. @param fields in the order in which they came into the mask */
export function fieldsWithValue(masks: number, fields: readonly string[]): readonly string[] {
  return fields.filter((_, place) => stateOf(masks, fields, place) & VALUE)
}

/** Which of absent, null and a value each field was, in the items of one shape. */
export class FieldStates {
  #present = 0
  #absent = 0

  add(mask: number): void {
    this.#present |= mask
    this.#absent |= ~(mask | (mask >> 1))
  }

  /** @param own the fields that the specification gives to this shape: only they can be missing. */
  observations(shape: string, fields: readonly string[], own: readonly string[]): readonly Observation[] {
    const last = lastOf.get(shape)
    if (last?.present === this.#present && last.absent === this.#absent) return last.observations
    const observations: Observation[] = []
    for (const [place, field] of fields.entries()) {
      const present = stateOf(this.#present, fields, place)
      const isMissing = own.includes(field) && stateOf(this.#absent, fields, place) & NULL
      const path = `${shape}.${field}`
      if (present & VALUE) observations.push({ path, kind: 'sent', value: 'value' })
      if (present & NULL) observations.push({ path, kind: 'sent', value: 'null' })
      if (isMissing) observations.push({ path, kind: 'sent', value: 'absent' })
    }
    lastOf.set(shape, { present: this.#present, absent: this.#absent, observations })
    return observations
  }
}

/** What the last list gave of each shape: neighbouring lists are mostly alike. */
const lastOf = new Map<string, { present: number; absent: number; observations: readonly Observation[] }>()

function stateOf(mask: number, fields: readonly string[], place: number): number {
  return mask >> ((fields.length - 1 - place) * BITS)
}
