import { isObject } from '../../common/json/exact.ts'
import type { JsonValue } from '../../common/json/exact.ts'

/** The content of a row as one text: equal for rows that are stored alike, whatever the order of their keys. */
export function canonicalJson(row: object): string {
  return JSON.stringify(row, sortKeys)
}

function sortKeys(_key: string, value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
