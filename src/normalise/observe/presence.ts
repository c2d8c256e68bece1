import type { Observation } from '../../common/schema/items.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import type { ValueCounts } from './counts.ts'
import { OTHER_VALUES, safeValue } from './safe-value.ts'

const STATES = ['absent', 'null', 'value'] as const
const BITS = 2
const STATE = 0b11
const VALUE = 0b10

/**
 * Which fields an item has, as one number with two bits for each, the last field's the lowest: most items of a list
 * have the same fields, and are counted as one. The bits of several items may be put into one by `|`.
 */
export function addFieldState(mask: number, value: JsonValue | undefined): number {
  return (mask << BITS) | (value === undefined ? 0 : value === null ? 1 : VALUE)
}

/** The fields that had a value in one item at least. @param fields in the order in which they came into the patterns */
export function fieldsWithValue(masks: number, fields: readonly string[]): readonly string[] {
  return fields.filter((_, place) => (masks >> ((fields.length - 1 - place) * BITS)) & VALUE)
}

/**
 * How often each field was absent, null or had a value.
 *
 * @param fields in the order in which they came into the pattern.
 * @param own the fields that the specification gives to this shape: only they can be missing.
 */
export function fieldStates(shape: string, fields: readonly string[], own: ReadonlySet<string>) {
  return (entries: readonly (readonly [number | typeof OTHER_VALUES, number])[]): Observation[] =>
    fields.toReversed().flatMap((field, place) => {
      const seen = STATES.map(() => 0)
      for (const [mask, times] of entries) {
        if (mask === OTHER_VALUES) continue
        const state = (mask >> (place * BITS)) & STATE
        seen[state] = (seen[state] ?? 0) + times
      }
      return STATES.map((value, state): Observation => ({
        path: `${shape}.${field}`,
        kind: 'sent',
        value,
        count: seen[state] ?? 0,
      })).filter(({ value }) => value !== 'absent' || own.has(field))
    })
}

/** Counts the fields that the specification does not name: they are in `_extra`, beside those set aside. */
export function countUnknownFields(
  unknown: ValueCounts<string>,
  extra: JsonObject | null,
  known: ReadonlySet<string>,
): void {
  if (extra === null) return
  for (const key in extra) if (!known.has(key)) unknown.count(key, safeValue)
}
