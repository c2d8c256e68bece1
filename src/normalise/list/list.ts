import type { Observation, RejectItem } from '../../common/schema/tables.ts'
import { isObject, MAX_ITEM_BYTES } from '../../common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import type { ListPayload, PayloadItem } from '../../common/json/parse-list.ts'
import { SetAsideValues } from '../items/set-aside-values.ts'
import { dropDuplicates } from './duplicates.ts'
import { SLOT_FIELDS } from '../items/fields.ts'
import { ItemIssues } from '../items/item-issues.ts'
import { fieldsWithValue } from '../observe/field-states.ts'
import { ObservedValues } from '../observe/observed-values.ts'
import { createReject } from '../items/rejects.ts'
import { IdOrder } from './id-order.ts'
import { warningsOf } from './warnings.ts'

/** What a list shows beside its rows and rejects. */
export interface ListSummary {
  /** Items as sent. */
  readonly length: number
  /** Values of its rows that are not stored as sent: fields set aside, and texts in which characters were replaced. */
  readonly setAside: number
  readonly warnings: readonly string[]
  /** Fields of the spec that at least one item carries with a value other than null; a slot's as `slots.name`. */
  readonly fields: ReadonlySet<string>
  /** Whether there is a reject whose id cannot be read: any row that is missing may be that one. */
  readonly unreadableId: boolean
  /** What it shows of what the specification leaves open, each thing once. */
  readonly observations: readonly Observation[]
}

/** A list as the mirror takes it. */
export interface NormalisedList<Row> extends ListSummary {
  /** Sorted by id as the database sorts it, one row for each id. */
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
}

/** What tells events and responses apart. */
export interface ItemType<Row> {
  readonly name: 'event' | 'response'
  /** The fields that the specification names, in the order of `patternOf`. */
  readonly fields: readonly string[]
  readonly fieldMask: (fields: JsonObject) => number
  readonly readId: (value: JsonValue) => string | null
  readonly buildRow: (fields: JsonObject, id: string, issues: ItemIssues) => Row
  readonly compareIds: (a: string, b: string) => number
  readonly updatedAt: (row: Row) => string | null
  readonly createObserver: () => ItemObserver<Row>
}

/** Notes what the items of one list show of what the specification leaves open. */
export interface ItemObserver<Row> {
  /** Looks at an item beside its row. */
  readonly observe: (fields: JsonObject, row: Row, fieldMask: number) => void
  readonly observations: () => readonly Observation[]
}

/** Reads a list, item by item: each becomes a row or a reject, and none keeps another from being read. */
export function normaliseList<Row extends { readonly id: string }>(
  payload: ListPayload,
  itemType: ItemType<Row>,
): NormalisedList<Row> {
  const read: Row[] = []
  const rejects: RejectItem[] = []
  const setAsideByRow = new Map<Row, readonly string[]>()
  const issues = new ItemIssues()
  const observer = itemType.createObserver()
  const order = new IdOrder(itemType.compareIds)
  for (const item of payload.items) {
    const result = normaliseItem(item, itemType, issues, observer)
    if ('reject' in result) rejects.push(result.reject)
    else {
      read.push(result.row)
      order.add(result.row.id)
      if (issues.setAside !== null) setAsideByRow.set(result.row, issues.setAside)
    }
  }

  const duplicateKeys = new ObservedValues(itemType.name, 'duplicate_key')
  for (const key of payload.duplicateKeys) duplicateKeys.add(key)
  // Most lists come by id, each id once.
  if (!order.isStrictlyAscending) read.sort((a, b) => itemType.compareIds(a.id, b.id))
  const { rows, differing } = order.isStrictlyAscending
    ? { rows: read, differing: null }
    : dropDuplicates(read, itemType.updatedAt)
  const setAside = new SetAsideValues()
  if (setAsideByRow.size > 0) for (const row of rows) setAside.add(setAsideByRow.get(row) ?? null)
  return {
    rows,
    rejects,
    length: payload.items.length,
    setAside: setAside.total,
    warnings: warningsOf(setAside, differing),
    fields: presentFields(itemType, issues),
    unreadableId: rejects.some((reject) => reject.id === null),
    observations: [observer, duplicateKeys, order].flatMap((part) => part.observations(itemType.name)),
  }
}

type Result<Row> = { readonly row: Row } | { readonly reject: RejectItem }

/** The fields that the items carried of which `issues` tells. */
export function presentFields(
  itemType: Pick<ItemType<unknown>, 'fields'>,
  issues: ItemIssues,
): ReadonlySet<string> {
  const ofSlots = fieldsWithValue(issues.slotFieldsPresent, SLOT_FIELDS).map((field) => `slots.${field}`)
  return new Set([...fieldsWithValue(issues.fieldsPresent, itemType.fields), ...ofSlots])
}

/** Makes of an item what it can be, and notes in `issues` what else it shows. @param observer null: it was observed before */
export function normaliseItem<Row>(
  item: PayloadItem,
  itemType: ItemType<Row>,
  issues: ItemIssues,
  observer: ItemObserver<Row> | null,
): Result<Row> {
  issues.reset()
  if (!isObject(item.value)) return { reject: createReject(item, 'not_an_object') }
  const sent = item.value['id'] ?? null
  if (sent === null) return { reject: createReject(item, 'id_missing') }
  const id = itemType.readId(sent)
  if (id === null) return { reject: createReject(item, isRounded(sent) ? 'too_deep' : 'id_invalid') }
  // guard: size
  if (item.bytes > MAX_ITEM_BYTES) {
    issues.fieldsPresent |= itemType.fieldMask({ id: sent })
    return { reject: createReject(item, 'too_large', id) }
  }
  const fieldMask = itemType.fieldMask(item.value)
  issues.fieldsPresent |= fieldMask
  const row = itemType.buildRow(item.value, id, issues)
  if (issues.fatal !== null) return { reject: createReject(item, issues.fatal, id) }
  observer?.observe(item.value, row, fieldMask)
  return { row }
}

/** Integers are exact in every item but those nested too deep: only there can an id be rounded. */
function isRounded(id: JsonValue): boolean {
  return Number.isInteger(id) && !Number.isSafeInteger(id)
}
