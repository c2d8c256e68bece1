import type { RejectItem } from '../../common/schema/tables.ts'
import { isObject, MAX_ITEM_BYTES } from '../../common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../common/json/exact.ts'
import type { ListPayload, PayloadItem } from '../../common/json/parse-list.ts'
import { Asides } from '../items/set-aside-values.ts'
import { withoutDuplicates } from './duplicates.ts'
import { SLOT_FIELDS } from '../items/fields.ts'
import { Findings } from '../items/item-issues.ts'
import { IdOrder, noteDuplicateKeys } from '../observe/list.ts'
import { Observed } from '../observe/observation-counter.ts'
import { carriedIn } from '../observe/presence.ts'
import { rejectOf } from '../items/rejects.ts'
import { warningsOf } from './warnings.ts'

/** What a list shows beside its rows and rejects. */
export interface ListFacts {
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
  readonly observed: Observed
}

/** A list as the mirror takes it. */
export interface Normalised<Row> extends ListFacts {
  /** Sorted by id as the database sorts it, one row for each id. */
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
}

/** What tells events and responses apart. */
export interface Shape<Row> {
  readonly name: 'event' | 'response'
  /** The fields that the specification names, in the order of `patternOf`. */
  readonly fields: readonly string[]
  readonly patternOf: (fields: JsonObject) => number
  readonly idOf: (value: JsonValue) => string | null
  readonly rowOf: (fields: JsonObject, id: string, findings: Findings) => Row
  readonly compareIds: (a: string, b: string) => number
  readonly updatedAt: (row: Row) => string | null
  /** Gives the function that looks at each item beside its row. */
  readonly observe: (observed: Observed) => Observe<Row>
}

export type Observe<Row> = (fields: JsonObject, row: Row, pattern: number) => void

/** Reads a list, item by item: each becomes a row or a reject, and none keeps another from being read. */
export function normaliseList<Row extends { readonly id: string }>(
  payload: ListPayload,
  shape: Shape<Row>,
): Normalised<Row> {
  const read: Row[] = []
  const rejects: RejectItem[] = []
  const asides = new Map<Row, readonly string[]>()
  const findings = new Findings()
  const observed = new Observed()
  const observe = shape.observe(observed)
  const order = new IdOrder(shape.compareIds)
  for (const item of payload.items) {
    const result = readItem(item, shape, findings, observe)
    if ('reject' in result) rejects.push(result.reject)
    else {
      read.push(result.row)
      order.add(result.row.id)
      if (findings.asides !== null) asides.set(result.row, findings.asides)
    }
  }

  noteDuplicateKeys(observed, shape.name, payload.duplicateKeys)
  order.note(observed, shape.name)
  // Most lists come by id, each id once.
  if (!order.isStrict) read.sort((a, b) => shape.compareIds(a.id, b.id))
  const { rows, differing } = order.isStrict
    ? { rows: read, differing: null }
    : withoutDuplicates(read, shape.updatedAt)
  const taken = new Asides()
  if (asides.size > 0) for (const row of rows) taken.add(asides.get(row) ?? null)
  return {
    rows,
    rejects,
    length: payload.items.length,
    setAside: taken.total,
    warnings: warningsOf(taken, differing),
    fields: fieldsOf(shape, findings),
    unreadableId: rejects.some((reject) => reject.id === null),
    observed,
  }
}

type Result<Row> = { readonly row: Row } | { readonly reject: RejectItem }

/** The fields that the items carried of which `findings` tells. */
export function fieldsOf(shape: Pick<Shape<unknown>, 'fields'>, findings: Findings): ReadonlySet<string> {
  const ofSlots = carriedIn(findings.carriedOfSlots, SLOT_FIELDS).map((field) => `slots.${field}`)
  return new Set([...carriedIn(findings.carried, shape.fields), ...ofSlots])
}

/** Makes of an item what it can be, and notes in `findings` what else it shows. */
export function readItem<Row>(
  item: PayloadItem,
  shape: Shape<Row>,
  findings: Findings,
  observe: Observe<Row>,
): Result<Row> {
  findings.next()
  if (!isObject(item.value)) return { reject: rejectOf(item, 'not_an_object') }
  const sent = item.value['id'] ?? null
  if (sent === null) return { reject: rejectOf(item, 'id_missing') }
  const id = shape.idOf(sent)
  if (id === null) return { reject: rejectOf(item, isRounded(sent) ? 'too_deep' : 'id_invalid') }
  if (item.bytes > MAX_ITEM_BYTES) {
    findings.carried |= shape.patternOf({ id: sent })
    return { reject: rejectOf(item, 'too_large', id) }
  }
  const pattern = shape.patternOf(item.value)
  findings.carried |= pattern
  const row = shape.rowOf(item.value, id, findings)
  if (findings.flaw !== null) return { reject: rejectOf(item, findings.flaw, id) }
  observe(item.value, row, pattern)
  return { row }
}

/** Integers are exact in every item but those nested too deep: only there can an id be rounded. */
function isRounded(id: JsonValue): boolean {
  return Number.isInteger(id) && !Number.isSafeInteger(id)
}
