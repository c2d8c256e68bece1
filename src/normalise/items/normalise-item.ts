import { isObject, MAX_ITEM_BYTES, type JsonObject, type JsonValue } from '../../common/json/exact.ts'
import type { RejectItem } from '../../common/schema/items.ts'
import { fieldMask } from '../observe/field-states.ts'
import type { ItemObserver } from '../observe/item-observer.ts'
import type { ItemIssues } from './item-issues.ts'
import { createReject } from './rejects.ts'
import type { SentItem } from './sent-item.ts'

/** What tells events and responses apart. */
export interface ItemType<Row> {
  /** The fields that the specification names, in the order of the masks. */
  readonly fields: readonly string[]
  readonly readId: (value: JsonValue) => string | null
  readonly buildRow: (fields: JsonObject, id: string, issues: ItemIssues) => Row
}

export type NormalisedItem<Row> = { readonly row: Row } | { readonly reject: RejectItem }

/**
 * Makes of an item what it can be, and notes in `issues` what else it shows.
 *
 * @param observer null: it was observed before
 */
export function normaliseItem<Row>(
  item: SentItem,
  itemType: ItemType<Row>,
  issues: ItemIssues,
  observer: ItemObserver<Row> | null,
): NormalisedItem<Row> {
  issues.reset()
  if (!isObject(item.value)) return { reject: createReject(item, 'not_an_object') }
  const sent = item.value['id'] ?? null
  if (sent === null) return { reject: createReject(item, 'id_missing') }
  const id = itemType.readId(sent)
  if (id === null) {
    // Integers are exact in every item but those nested too deep: only there can an id be rounded.
    const isRounded = Number.isInteger(sent) && !Number.isSafeInteger(sent)
    return { reject: createReject(item, isRounded ? 'too_deep' : 'id_invalid') }
  }
  // guard: size
  if (item.bytes > MAX_ITEM_BYTES) {
    issues.fieldsPresent |= fieldMask({ id: sent }, itemType.fields)
    return { reject: createReject(item, 'too_large', id) }
  }
  const present = fieldMask(item.value, itemType.fields)
  issues.fieldsPresent |= present
  const row = itemType.buildRow(item.value, id, issues)
  if (issues.fatal !== null) return { reject: createReject(item, issues.fatal, id) }
  observer?.observe(item.value, row, present)
  return { row }
}
