import type { EventItem } from '../../common/schema/items.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import { EVENT_FIELDS, KNOWN_OF_EVENT } from '../items/fields.ts'
import { textsOf } from './observation-counter.ts'
import type { Observed, Series } from './observation-counter.ts'
import { noteUnknown, presence } from './presence.ts'
import { quotable } from './safe-value.ts'
import { noteTime, timeForms } from './timestamp-formats.ts'

const SHAPE: Series<number> = { most: Infinity, tell: presence('event', EVENT_FIELDS, KNOWN_OF_EVENT) }
const EVENT_AT: Series<number> = { tell: timeForms('event.event_at') }
const EVENT_TYPE = textsOf('event.event_type', 'value')
const UNKNOWN = textsOf('event', 'unknown_field')
const ID_FORM = textsOf('event.id', 'id_form')
const ID_SENT_AS = textsOf('event.id', 'sent_as')

/** From the narrowest to the widest. */
const idForms = [
  ['digits', /^\d+$/],
  ['UUID', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ['a-z 0-9 -', /^[a-z\d-]+$/],
  ['a-z A-Z 0-9 - _', /^[\w-]+$/],
  ['as a path carries it', /^[\w.~-]+$/],
] as const

/** Gives the function that looks at each event beside its row. */
export function observeEvents(observed: Observed) {
  const shape = observed.numbers(SHAPE)
  const eventAt = observed.numbers(EVENT_AT)
  const eventType = observed.texts(EVENT_TYPE)
  const unknown = observed.texts(UNKNOWN)
  const idForm = observed.texts(ID_FORM)

  return (fields: JsonObject, row: EventItem, pattern: number): void => {
    shape.note(pattern)
    noteUnknown(unknown, row._extra, KNOWN_OF_EVENT)
    noteTime(eventAt, fields['event_at'], row.event_at)
    if (row.event_type !== null) eventType.note(row.event_type, quotable)
    idForm.note(formOf(row.id))
    if (typeof fields['id'] !== 'string') observed.texts(ID_SENT_AS).note('number')
  }
}

function formOf(id: string): string {
  return idForms.find(([, form]) => form.test(id))?.[0] ?? 'other characters'
}
