import type { RejectItem } from '../../common/schema/tables.ts'
import { isObject, MAX_ITEM_BYTES } from '../../common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import type { ListPayload, PayloadItem } from '../../common/json/parse-list.ts'
import { SetAsideValues } from '../items/set-aside-values.ts'
import { dropDuplicates } from './duplicates.ts'
import { SLOT_FIELDS } from '../items/fields.ts'
import { ItemIssues } from '../items/item-issues.ts'
import { IdOrder, countDuplicateKeys } from '../observe/list.ts'
import { ObservationCounter } from '../observe/observation-counter.ts'
import { fieldsWithValue } from '../observe/presence.ts'
import { createReject } from '../items/rejects.ts'
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
  /** What its items show of what the specification leaves open. */
  readonly observations: ObservationCounter
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
  /** Gives the function that looks at each item beside its row. */
  readonly createObserver: (observations: ObservationCounter) => ItemObserver<Row>
}

export type ItemObserver<Row> = (fields: JsonObject, row: Row, fieldMask: number) => void

/** Reads a list, item by item: each becomes a row or a reject, and none keeps another from being read. */
export function normaliseList<Row extends { readonly id: string }>(
  payload: ListPayload,
  itemType: ItemType<Row>,
): NormalisedList<Row> {
  const read: Row[] = []
  const rejects: RejectItem[] = []
  const setAsideByRow = new Map<Row, readonly string[]>()
  const issues = new ItemIssues()
  const observations = new ObservationCounter()
  const observe = itemType.createObserver(observations)
  const order = new IdOrder(itemType.compareIds)
  for (const item of payload.items) {
    const result = normaliseItem(item, itemType, issues, observe)
    if ('reject' in result) rejects.push(result.reject)
    else {
      read.push(result.row)
      order.add(result.row.id)
      if (issues.setAside !== null) setAsideByRow.set(result.row, issues.setAside)
    }
  }

  countDuplicateKeys(observations, itemType.name, payload.duplicateKeys)
  order.report(observations, itemType.name)
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
    observations,
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

/** Makes of an item what it can be, and notes in `issues` what else it shows. */
export function normaliseItem<Row>(
  item: PayloadItem,
  itemType: ItemType<Row>,
  issues: ItemIssues,
  observe: ItemObserver<Row>,
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
  observe(item.value, row, fieldMask)
  return { row }
}

/** Integers are exact in every item but those nested too deep: only there can an id be rounded. */
function isRounded(id: JsonValue): boolean {
  return Number.isInteger(id) && !Number.isSafeInteger(id)
}
