import type { EventItem } from '../../common/schema/tables.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { asText, asTimestamp, draftOf, finishExtra, take } from './row-builder.ts'
import { EVENT_FIELDS, KNOWN_OF_EVENT, patternOfEvent } from './fields.ts'
import type { Findings } from './item-issues.ts'
import { eventIdOf } from '../values/ids.ts'
import { normaliseList } from '../list/list.ts'
import type { Normalised } from '../list/list.ts'
import { observeEvents } from '../observe/events.ts'
import { compareTexts } from '../values/collation.ts'

/** The events of an account; rows by id in the order of its bytes. Throws nothing, whatever the items are. */
export function normaliseEvents(payload: ListPayload): Normalised<EventItem> {
  return normaliseList(payload, {
    name: 'event',
    fields: EVENT_FIELDS,
    patternOf: patternOfEvent,
    idOf: eventIdOf,
    rowOf: eventOf,
    compareIds: compareTexts,
    updatedAt: () => null,
    observe: observeEvents,
  })
}

function eventOf(fields: JsonObject, id: string, findings: Findings): EventItem {
  const draft = draftOf(fields, findings)
  return {
    id,
    title: take(draft, 'title', fields['title'], asText),
    event_at: take(draft, 'event_at', fields['event_at'], asTimestamp),
    description: take(draft, 'description', fields['description'], asText),
    event_type: take(draft, 'event_type', fields['event_type'], asText),
    location: take(draft, 'location', fields['location'], asText),
    _extra: finishExtra(draft, KNOWN_OF_EVENT),
  }
}
