import type { EventItem } from '../../common/schema/items.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import { EVENT_FIELDS, EVENT_FIELD_SET } from '../items/fields.ts'
import { textMetric } from './observation-counter.ts'
import type { ObservationCounter, Metric } from './observation-counter.ts'
import { countUnknownFields, fieldStates } from './presence.ts'
import { safeValue } from './safe-value.ts'
import { countTimestampFormat, timestampFormats } from './timestamp-formats.ts'

const SHAPE: Metric<number> = {
  maxValues: Infinity,
  toObservations: fieldStates('event', EVENT_FIELDS, EVENT_FIELD_SET),
}
const EVENT_AT: Metric<number> = { toObservations: timestampFormats('event.event_at') }
const EVENT_TYPE = textMetric('event.event_type', 'value')
const UNKNOWN = textMetric('event', 'unknown_field')
const ID_FORM = textMetric('event.id', 'id_form')
const ID_SENT_AS = textMetric('event.id', 'sent_as')

/** From the narrowest to the widest. */
const idFormats = [
  ['digits', /^\d+$/],
  ['UUID', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i],
  ['a-z 0-9 -', /^[a-z\d-]+$/],
  ['a-z A-Z 0-9 - _', /^[\w-]+$/],
  ['as a path carries it', /^[\w.~-]+$/],
] as const

/** Gives the function that looks at each event beside its row. */
export function observeEvents(observations: ObservationCounter) {
  const shape = observations.numbers(SHAPE)
  const eventAt = observations.numbers(EVENT_AT)
  const eventType = observations.texts(EVENT_TYPE)
  const unknown = observations.texts(UNKNOWN)
  const idForm = observations.texts(ID_FORM)

  return (fields: JsonObject, row: EventItem, fieldMask: number): void => {
    shape.count(fieldMask)
    countUnknownFields(unknown, row._extra, EVENT_FIELD_SET)
    countTimestampFormat(eventAt, fields['event_at'], row.event_at)
    if (row.event_type !== null) eventType.count(row.event_type, safeValue)
    idForm.count(idFormat(row.id))
    if (typeof fields['id'] !== 'string') observations.texts(ID_SENT_AS).count('number')
  }
}

function idFormat(id: string): string {
  return idFormats.find(([, form]) => form.test(id))?.[0] ?? 'other characters'
}
