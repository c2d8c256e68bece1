import type { Timestamp } from '../../common/schema/tables.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import { noteSetAside, type ItemIssues } from './item-issues.ts'
import { nullPrototypeObject, copyFields, toPostgresText, toJsonbValue } from '../values/jsonb-values.ts'
import { isTimestamp } from '../values/timestamps.ts'

/** An object of the payload on its way to a row: an event, a response or a slot. */
export interface RowBuilder {
  readonly fields: JsonObject
  /** What the row's `_extra` will be. */
  extra: JsonObject | null
  /** Level of nesting of the object; the item of the list is 1. */
  readonly level: number
  /** Stands before the names of its fields in issues: `` or `slots.`. */
  readonly prefix: string
  readonly issues: ItemIssues
}

export function createRowBuilder(fields: JsonObject, issues: ItemIssues, level = 1, prefix = ''): RowBuilder {
  return { fields, extra: null, level, prefix, issues }
}

/**
 * Takes the value of a field for a column: null when it is absent or null, and when `read` can make nothing of it (set
 * aside).
 *
 * @param value of that field; it is read where its name stands in the code: looked up here, by a name that is another
 * each time, it would be searched for
 */
export function readField<Value>(
  builder: RowBuilder,
  field: string,
  value: JsonValue | undefined,
  read: (value: JsonValue, issues: ItemIssues) => Value | null,
): Value | null {
  if (value === undefined || value === null) return null
  const taken = read(value, builder.issues)
  if (taken === null) setAside(builder, field, value)
  return taken
}

export function readText(value: JsonValue, issues: ItemIssues): string | null {
  return typeof value === 'string' ? toPostgresText(value, issues) : null
}

export function readTimestamp(value: JsonValue): Timestamp | null {
  return typeof value === 'string' && isTimestamp(value) ? value : null
}

/** Keeps the fields that the spec does not name and ends the builder. */
export function collectUnknown(builder: RowBuilder, known: ReadonlySet<string>): JsonObject | null {
  return copyFields(builder.fields, known, builder.extra, builder.level, builder.issues)
}

function setAside(builder: RowBuilder, field: string, value: JsonValue): void {
  noteSetAside(builder.issues, builder.prefix + field)
  builder.extra ??= nullPrototypeObject()
  builder.extra[field] = toJsonbValue(value, builder.level + 1, builder.issues)
}
