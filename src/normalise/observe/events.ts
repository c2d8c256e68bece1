import type { EventItem } from '../../common/schema/items.ts'
import { EVENT_FIELDS, EVENT_FIELD_SET } from '../../common/schema/field-names.ts'
import type { ItemObserver } from './item-observer.ts'
import { FieldStates } from './field-states.ts'
import { ObservedValues } from './observed-values.ts'
import { TimestampFormats } from './timestamp-formats.ts'

/** Looks at the events of a list. */
export function observeEvents(): ItemObserver<EventItem> {
  const states = new FieldStates()
  const eventAt = new TimestampFormats('event.event_at')
  const eventType = new ObservedValues('event.event_type', 'value')
  const unknown = new ObservedValues('event', 'unknown_field')
  const idSentAs = new ObservedValues('event.id', 'sent_as')
  const parts = [eventAt, eventType, unknown, idSentAs]
  return {
    observe: (fields, row, fieldMask) => {
      states.add(fieldMask)
      eventAt.add(fields['event_at'], row.event_at)
      if (row.event_type !== null) eventType.add(row.event_type)
      unknown.addUnknown(row._extra, EVENT_FIELD_SET)
      if (typeof fields['id'] !== 'string') idSentAs.add('number')
    },
    observations: () => [
      ...states.observations('event', EVENT_FIELDS, EVENT_FIELDS),
      ...parts.flatMap((part) => part.observations()),
    ],
  }
}
