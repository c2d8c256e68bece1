import type { Timestamp } from '../../common/schema/tables.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import { noteAside } from './item-issues.ts'
import type { Findings } from './item-issues.ts'
import { bareObject, copyFields, storableText, storableValue } from '../values/postgres-text.ts'
import { isTimestamp } from '../values/timestamps.ts'

/** An object of the payload on its way to a row: an event, a response or a slot. */
export interface Draft {
  readonly fields: JsonObject
  /** What the row's `_extra` will be. */
  extra: JsonObject | null
  /** Level of nesting of the object; the item of the list is 1. */
  readonly level: number
  /** Stands before the names of its fields in findings: `` or `slots.`. */
  readonly prefix: string
  readonly findings: Findings
}

export function draftOf(fields: JsonObject, findings: Findings, level = 1, prefix = ''): Draft {
  return { fields, extra: null, level, prefix, findings }
}

/**
 * Takes the value of a field for a column: null when it is absent or null, and when `read` can make nothing of it (set
 * aside).
 *
 * @param value of that field; it is read where its name stands in the code: looked up here, by a name that is another
 * each time, it would be searched for
 */
export function take<Value>(
  draft: Draft,
  field: string,
  value: JsonValue | undefined,
  read: (value: JsonValue, findings: Findings) => Value | null,
): Value | null {
  if (value === undefined || value === null) return null
  const taken = read(value, draft.findings)
  if (taken === null) setAside(draft, field, value)
  return taken
}

export function asText(value: JsonValue, findings: Findings): string | null {
  return typeof value === 'string' ? storableText(value, findings) : null
}

export function asTimestamp(value: JsonValue): Timestamp | null {
  return typeof value === 'string' && isTimestamp(value) ? value : null
}

/** Keeps the fields that the spec does not name and ends the draft. */
export function finishExtra(draft: Draft, known: ReadonlySet<string>): JsonObject | null {
  return copyFields(draft.fields, known, draft.extra, draft.level, draft.findings)
}

function setAside(draft: Draft, field: string, value: JsonValue): void {
  noteAside(draft.findings, draft.prefix + field)
  draft.extra ??= bareObject()
  draft.extra[field] = storableValue(value, draft.level + 1, draft.findings)
}
