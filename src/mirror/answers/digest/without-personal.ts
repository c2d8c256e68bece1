import { isObject, type JsonValue } from '../../../common/json/exact.ts'
import type { SqlType } from '../../../common/schema/live-tables.ts'
import { PLAIN_FIELDS } from '../../../common/schema/personal-data.ts'
import { numberText } from '../../../normalise/values/decimals.ts'
import type { ChangedEvent, ChangedField, ChangedPart, ChangedParts, DigestResponse } from './digest.ts'

/** For those who must not see names, addresses and messages: counts, events, money and slots stay. */
export function withoutPersonalData<Parts extends ChangedParts>(parts: Parts): Parts {
  const { events_changed, responses_withdrawn, responses_changed, responses_new } = parts
  return {
    ...parts,
    events_changed: mapItems(events_changed, (item) => redactFields(item, PLAIN_FIELDS.event)),
    responses_withdrawn: mapItems(responses_withdrawn, withoutName),
    responses_changed: mapItems(responses_changed, (item) =>
      redactFields(withoutName(item), PLAIN_FIELDS.response),
    ),
    responses_new: mapItems(responses_new, withoutName),
  }
}

function mapItems<Item>(part: ChangedPart<Item>, redact: (item: Item) => Item): ChangedPart<Item> {
  return { ...part, items: part.items.map(redact) }
}

function withoutName<Item extends DigestResponse>(item: Item): Item {
  // guard: names in a digest without personal data
  return { ...item, name: null }
}

function redactFields<Item extends ChangedEvent>(item: Item, known: Fields): Item {
  return { ...item, fields: item.fields.map((field) => redactField(field, known)) }
}

/** Told of an item, by the types of the columns. A field that the specification does not name may hold anything. */
type Fields = ReadonlyMap<string, SqlType>

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const forms: Readonly<Record<SqlType, RegExp | null>> = {
  text: /^/,
  int: /^-?\d+$/,
  bigint: /^-?\d+$/,
  numeric: /^-?\d+(?:\.\d+)?$/,
  timestamptz: MOMENT,
  timestamp: MOMENT,
  jsonb: null,
}

/** What does not fit the column of its field was set aside, and may be anything: a name where a number should be. */
function fits(type: SqlType, value: JsonValue): boolean {
  if (value === null) return true
  const text = typeof value === 'string' ? value : type === 'text' ? null : numberText(value)
  return text !== null && forms[type]?.test(text) === true
}

function redactField(changed: ChangedField, fields: Fields): ChangedField {
  const { field, before, now } = changed
  if (field === 'slots' && fields === PLAIN_FIELDS.response)
    return { field, before: slotsOf(before), now: slotsOf(now) }
  const type = fields.get(field)
  // guard: personal values in a digest
  if (type === undefined || !fits(type, before) || !fits(type, now))
    return { field, before: null, now: null, is_withheld: true }
  return changed
}

function slotsOf(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return null
  return value.map((slot) =>
    isObject(slot)
      ? Object.fromEntries(
          Object.entries(slot).filter(([key, sent]) => {
            const type = PLAIN_FIELDS.slot.get(key)
            return type !== undefined && fits(type, sent)
          }),
        )
      : null,
  )
}
