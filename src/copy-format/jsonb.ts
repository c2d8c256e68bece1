import { isObject, isRawNumber, type JsonObject, type JsonValue } from '../common/json/exact.ts'

/**
 * A value as Postgres writes it when it is asked for `jsonb`: a space behind colons and commas, keys by their length in
 * bytes and then by their bytes. So rows with equal values have equal bytes; where Postgres would write a number in
 * other words (1e2), they look different, and are compared by value.
 */
export function jsonbText(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value)
  if (isObject(value)) return `{${fields(value)}}`
  return `[${value.map(jsonbText).join(', ')}]`
}

function fields(value: JsonObject): string {
  const keys = Object.keys(value).map((key) => ({ key, bytes: Buffer.from(key) }))
  if (keys.length > 1) keys.sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes))
  return keys.map(({ key }) => `${JSON.stringify(key)}: ${jsonbText(value[key] ?? null)}`).join(', ')
}
