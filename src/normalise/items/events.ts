import type { EventItem } from '../../common/schema/tables.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { readText, readTimestamp, createRowBuilder, collectUnknown, readField } from './row-builder.ts'
import { EVENT_FIELDS, EVENT_FIELD_SET, eventFieldMask } from './fields.ts'
import type { ItemIssues } from './item-issues.ts'
import { readEventId } from '../values/ids.ts'
import { normaliseList } from '../list/list.ts'
import type { NormalisedList } from '../list/list.ts'
import { observeEvents } from '../observe/events.ts'
import { compareUtf8 } from '../values/collation.ts'

/** The events of an account; rows by id in the order of its bytes. Throws nothing, whatever the items are. */
export function normaliseEvents(payload: ListPayload): NormalisedList<EventItem> {
  return normaliseList(payload, {
    name: 'event',
    fields: EVENT_FIELDS,
    fieldMask: eventFieldMask,
    readId: readEventId,
    buildRow: buildEvent,
    compareIds: compareUtf8,
    updatedAt: () => null,
    createObserver: observeEvents,
  })
}

function buildEvent(fields: JsonObject, id: string, issues: ItemIssues): EventItem {
  const builder = createRowBuilder(fields, issues)
  return {
    id,
    title: readField(builder, 'title', fields['title'], readText),
    event_at: readField(builder, 'event_at', fields['event_at'], readTimestamp),
    description: readField(builder, 'description', fields['description'], readText),
    event_type: readField(builder, 'event_type', fields['event_type'], readText),
    location: readField(builder, 'location', fields['location'], readText),
    _extra: collectUnknown(builder, EVENT_FIELD_SET),
  }
}
