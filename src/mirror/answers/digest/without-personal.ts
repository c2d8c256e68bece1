import { isObject, type JsonValue } from '../../../common/json/exact.ts'
import { LIVE_TABLES } from '../../../common/schema/live-tables.ts'
import { isPersonal } from '../../../common/schema/personal-data.ts'
import type { AccountDigest, ChangedField, DigestResponse } from './digest.ts'

/** The digest for those who must not see names, addresses and messages: counts, events, money and slots stay. */
export function withoutPersonalData(digest: AccountDigest): AccountDigest {
  const { responses_withdrawn, responses_changed, responses_new, events_changed } = digest
  return {
    ...digest,
    events_changed: {
      ...events_changed,
      items: events_changed.items.map((event) => ({
        ...event,
        fields: event.fields.map((field) => told(field, EVENT_FIELDS)),
      })),
    },
    responses_withdrawn: { ...responses_withdrawn, items: responses_withdrawn.items.map(nameless) },
    responses_changed: {
      ...responses_changed,
      items: responses_changed.items.map((response) => ({
        ...nameless(response),
        fields: response.fields.map((field) => told(field, RESPONSE_FIELDS)),
      })),
    },
    responses_new: { ...responses_new, items: responses_new.items.map(nameless) },
  }
}

function nameless<Response extends DigestResponse>(response: Response): Response {
  // guard: names in a digest without personal data
  return { ...response, name: null }
}

/** What is told of an item: what the specification knows and is not personal. A field that it does not know may hold anything. */
const EVENT_FIELDS = fieldsOf('events')
const RESPONSE_FIELDS = [...fieldsOf('responses'), ...fieldsOf('payments'), 'slots']
const SLOT_FIELDS = fieldsOf('slots')

function fieldsOf(table: keyof typeof LIVE_TABLES): readonly string[] {
  return Object.keys(LIVE_TABLES[table].values).filter((column) => !isPersonal(table, column))
}

function told(changed: ChangedField, fields: readonly string[]): ChangedField {
  const { field, before, now } = changed
  // guard: personal values in a digest
  if (!fields.includes(field)) return { field, before: null, now: null, is_withheld: true }
  return field === 'slots' ? { field, before: slotsOf(before), now: slotsOf(now) } : changed
}

function slotsOf(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return null
  return value.map((slot) =>
    isObject(slot)
      ? Object.fromEntries(Object.entries(slot).filter(([key]) => SLOT_FIELDS.includes(key)))
      : null,
  )
}
