/** Items as the service means them: key order, absent or null, the spelling of instants and amounts do not matter. */
import { isRawNumber } from '../../../src/common/json/exact.ts'

const instants: ReadonlySet<string> = new Set([
  'event_at',
  'created_at',
  'updated_at',
  'start_date',
  'end_date',
])
const amounts: ReadonlySet<string> = new Set(['amount', 'processing_fee'])

/** The same for two items exactly when they mean the same. */
export function meaningOf(value: unknown, key = ''): unknown {
  if (isRawNumber(value)) return meaningOf(value.rawJSON, key)
  if (Array.isArray(value)) return value.map((element) => meaningOf(element))
  if (typeof value === 'object' && value !== null) {
    const present = Object.entries(value).filter(([, field]) => field !== null)
    return Object.fromEntries(
      present.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, meaningOf(field, name)]),
    )
  }
  if (typeof value === 'string' && instants.has(key)) return toMicroseconds(value)
  if (amounts.has(key)) return decimalOf(String(value))
  return typeof value === 'number' ? String(value) : value
}

function toMicroseconds(text: string): unknown {
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? text : instant
}

function decimalOf(text: string): string {
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}

/** Items of a list by id, in their meaning; what has no usable id is left out. */
export function byId(list: readonly unknown[]): Map<string, unknown> {
  const items = new Map<string, unknown>()
  for (const item of list) {
    if (typeof item !== 'object' || item === null || !('id' in item)) continue
    const { id } = item
    if (typeof id === 'string' || Number.isInteger(id)) items.set(String(id), meaningOf(item))
  }
  return items
}
