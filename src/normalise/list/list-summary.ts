import type { Observation } from '../../common/schema/items.ts'
import { SLOT_FIELDS } from '../../common/schema/field-names.ts'
import type { ItemIssues } from '../items/item-issues.ts'
import { fieldsWithValue } from '../observe/field-states.ts'

/** What a list shows beside its rows and rejects. */
export interface ListSummary {
  /** Items as sent. */
  readonly length: number
  /** Values of its rows that are not stored as sent: fields set aside, and texts in which characters were replaced. */
  readonly setAside: number
  readonly warnings: readonly string[]
  /** Fields of the spec that at least one item carries with a value other than null; a slot's as `slots.name`. */
  readonly fields: ReadonlySet<string>
  /** Whether there is a reject whose id cannot be read: any row that is missing may be that one. */
  readonly unreadableId: boolean
  /** What it shows of what the specification leaves open, each thing once. */
  readonly observations: readonly Observation[]
}

/** The fields that the items carried of which `issues` tells. */
export function presentFields(fields: readonly string[], issues: ItemIssues): ReadonlySet<string> {
  const ofSlots = fieldsWithValue(issues.slotFieldsPresent, SLOT_FIELDS).map((field) => `slots.${field}`)
  return new Set([...fieldsWithValue(issues.fieldsPresent, fields), ...ofSlots])
}
