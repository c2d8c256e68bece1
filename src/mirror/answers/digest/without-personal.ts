import { isObject, type JsonValue } from '../../../common/json/exact.ts'
import { LIVE_TABLES, type MirrorTable, type SqlType } from '../../../common/schema/live-tables.ts'
import { isPersonal } from '../../../common/schema/personal-data.ts'
import { numberText } from '../../../normalise/values/decimals.ts'
import type { ChangedEvent, ChangedField, ChangedPart, ChangedParts, DigestResponse } from './digest.ts'

/** For those who must not see names, addresses and messages: counts, events, money and slots stay. */
export function withoutPersonalData<Parts extends ChangedParts>(parts: Parts): Parts {
  const { events_changed, responses_withdrawn, responses_changed, responses_new } = parts
  return {
    ...parts,
    events_changed: mapItems(events_changed, (item) => redactFields(item, EVENT_FIELDS)),
    responses_withdrawn: mapItems(responses_withdrawn, withoutName),
    responses_changed: mapItems(responses_changed, (item) =>
      redactFields(withoutName(item), RESPONSE_FIELDS),
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

/** What is told of an item: what the specification knows and is not personal. A field that it does not know may hold anything. */
const EVENT_FIELDS = fieldsOf('events')
const RESPONSE_FIELDS: Fields = new Map([
  ...fieldsOf('responses'),
  ...fieldsOf('payments'),
  ['slots', 'jsonb'],
])
const SLOT_FIELDS = fieldsOf('slots')

/** Their columns' types by name. */
type Fields = ReadonlyMap<string, SqlType>

function fieldsOf(table: MirrorTable): Fields {
  return new Map(
    Object.entries<SqlType>(LIVE_TABLES[table].values).filter(([column]) => !isPersonal(table, column)),
  )
}

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
  const type = fields.get(field)
  if (field === 'slots' && type !== undefined) return { field, before: slotsOf(before), now: slotsOf(now) }
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
            const type = SLOT_FIELDS.get(key)
            return type !== undefined && fits(type, sent)
          }),
        )
      : null,
  )
}
