import type { ListPayload } from '../../source/payloads.ts'
import { textsOf } from './observed.ts'
import type { Observed } from './observed.ts'
import { quotable } from './quotable.ts'

const orders = { event: textsOf('events', 'order'), response: textsOf('responses', 'order') }
const duplicates = {
  event: textsOf('event', 'duplicate_key'),
  response: textsOf('response', 'duplicate_key'),
}

interface Items {
  readonly name: 'event' | 'response'
  readonly compareIds: (a: string, b: string) => number
}

/** Notes what a list shows as a whole: keys that stand twice, and how the ids follow one another. */
export function noteList<Row extends { readonly id: string }>(
  observed: Observed,
  { name, compareIds }: Items,
  payload: ListPayload,
  rowsAsSent: readonly Row[],
): void {
  for (const key of payload.duplicateKeys) observed.texts(duplicates[name]).note(key, quotable)
  if (rowsAsSent.length > 1) observed.texts(orders[name]).note(orderOf(rowsAsSent, compareIds))
}

function orderOf(rows: readonly { readonly id: string }[], compareIds: Items['compareIds']): string {
  let ascends = true
  let descends = true
  for (let place = 1; place < rows.length && (ascends || descends); place += 1) {
    const difference = compareIds(rows[place - 1]?.id ?? '', rows[place]?.id ?? '')
    if (difference > 0) ascends = false
    if (difference < 0) descends = false
  }
  if (ascends) return 'ids ascending'
  return descends ? 'ids descending' : 'not by id'
}
