import type { SlotItem } from '../../common/schema/tables.ts'
import { isObject } from '../../common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import { asText, asTimestamp, draftOf, finishExtra, take } from './row-builder.ts'
import { KNOWN_OF_SLOT, patternOfSlot } from './fields.ts'
import type { Findings } from './item-issues.ts'
import { wallClockOf } from '../values/timestamps.ts'

/** The response is level 1, the array 2. */
const SLOT_LEVEL = 3

/** The slots of a response in the order sent; null when it is no array, or one with an element that is no object. */
export function slotsOf(value: JsonValue, findings: Findings): readonly SlotItem[] | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null
  return value.map((slot) => slotOf(slot, findings))
}

function slotOf(fields: JsonObject, findings: Findings): SlotItem {
  findings.carriedOfSlots |= patternOfSlot(fields)
  const draft = draftOf(fields, findings, SLOT_LEVEL, 'slots.')
  const start = take(draft, 'start_date', fields['start_date'], asTimestamp)
  const end = take(draft, 'end_date', fields['end_date'], asTimestamp)
  return {
    name: take(draft, 'name', fields['name'], asText),
    start_date: start,
    end_date: end,
    start_local: start === null ? null : wallClockOf(start),
    end_local: end === null ? null : wallClockOf(end),
    _extra: finishExtra(draft, KNOWN_OF_SLOT),
  }
}
