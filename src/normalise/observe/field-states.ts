import type { JsonValue } from '../../common/json/exact.ts'
import type { Observation } from '../../common/schema/items.ts'

const BITS = 2
const NULL = 0b01
const VALUE = 0b10

/**
 * Which fields an item has, as one number with two bits for each, the last field's the lowest. The bits of several
 * items may be put into one by `|`.
 */
export function addFieldState(mask: number, value: JsonValue | undefined): number {
  return (mask << BITS) | (value === undefined ? 0 : value === null ? NULL : VALUE)
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
    return fields.flatMap((field, place) => {
      const present = stateOf(this.#present, fields, place)
      const states = {
        value: present & VALUE,
        null: present & NULL,
        absent: own.includes(field) && stateOf(this.#absent, fields, place) & NULL,
      }
      return Object.entries(states)
        .filter(([, isSeen]) => isSeen)
        .map(([value]): Observation => ({ path: `${shape}.${field}`, kind: 'sent', value }))
    })
  }
}

function stateOf(mask: number, fields: readonly string[], place: number): number {
  return mask >> ((fields.length - 1 - place) * BITS)
}
