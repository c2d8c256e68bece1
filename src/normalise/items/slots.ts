import type { SlotItem } from '../../common/schema/tables.ts'
import { isObject, type JsonObject, type JsonValue } from '../../common/json/exact.ts'
import { readText, readTimestamp, createRowBuilder, collectUnknown, readField } from './row-builder.ts'
import { fieldMask } from '../observe/field-states.ts'
import { SLOT_FIELD_SET, SLOT_FIELDS } from '../../common/schema/field-names.ts'
import type { ItemIssues } from './item-issues.ts'
import { withoutOffset } from '../values/timestamps.ts'

/** The response is level 1, the array 2. */
const SLOT_LEVEL = 3

/** The slots of a response in the order sent; null when it is no array, or one with an element that is no object. */
export function readSlots(value: JsonValue, issues: ItemIssues): readonly SlotItem[] | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null
  return value.map((slot) => buildSlot(slot, issues))
}

function buildSlot(fields: JsonObject, issues: ItemIssues): SlotItem {
  issues.slotFieldsPresent |= fieldMask(fields, SLOT_FIELDS)
  const builder = createRowBuilder(fields, issues, SLOT_LEVEL, 'slots.')
  const start = readField(builder, 'start_date', fields['start_date'], readTimestamp)
  const end = readField(builder, 'end_date', fields['end_date'], readTimestamp)
  return {
    name: readField(builder, 'name', fields['name'], readText),
    start_date: start,
    end_date: end,
    start_local: start === null ? null : withoutOffset(start),
    end_local: end === null ? null : withoutOffset(end),
    _extra: collectUnknown(builder, SLOT_FIELD_SET),
  }
}
