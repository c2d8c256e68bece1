import type { EventItem } from '../../common/schema/items.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import { readText, readTimestamp, createRowBuilder, collectUnknown, readField } from './row-builder.ts'
import { EVENT_FIELDS, EVENT_FIELD_SET } from '../../common/schema/field-names.ts'
import type { ItemType } from './normalise-item.ts'
import type { ItemIssues } from './item-issues.ts'
import { readEventId } from '../values/ids.ts'

export const EVENT: ItemType<EventItem> = {
  fields: EVENT_FIELDS,
  readId: readEventId,
  buildRow: buildEvent,
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
