/** What the answers of one run say of each list, in the end. */
import { createHash } from 'node:crypto'
import type { Heard, Subject } from '../service/service.ts'
import type { Reject } from './mirror.ts'
import { isGood } from '../account/items.ts'
import type { EventItem, EventRow, Item, ResponseItem, ResponseRow } from '../account/items.ts'
import type { Sign } from '../service/faults.ts'

/** A list that was answered whole. */
export interface ListRead<Row> {
  /** One row for each id. */
  readonly rows: ReadonlyMap<string, Row>
  readonly rejects: readonly Reject[]
  /** Ids of rejects that can be read: their rows stay. */
  readonly rejectedIds: readonly string[]
  readonly hasNamelessReject: boolean
  readonly asides: number
  readonly length: number
  readonly sign: Sign | null
  readonly etag: string | null
  /** What was sent, as one text; and as it was sent, in its pages. */
  readonly body: string
  readonly sent: string
  readonly pages: number
}

/** How the last request about it ended; undefined when it was never asked for. */
export function endOf(heard: readonly Heard[], subject: Subject): Heard | undefined {
  return heard.findLast((other) => other.subject === subject)
}

export function eventsRead(heard: Heard): ListRead<EventRow> {
  return listRead(heard, heard.items as readonly EventItem[], () => true)
}

/** Of two items with one id the later `updated_at` counts, else the later item. */
export function responsesRead(heard: Heard): ListRead<ResponseRow> {
  const isLater = (row: ResponseRow, former: ResponseRow) =>
    (row.updated_at ?? '') >= (former.updated_at ?? '')
  return listRead(heard, heard.items as readonly ResponseItem[], isLater)
}

function listRead<Row extends { readonly id: string }>(
  { sign, etag, pages, onFirst }: Heard,
  items: readonly Item<Row>[],
  replaces: (row: Row, former: Row) => boolean,
): ListRead<Row> {
  const rows = new Map<string, Row>()
  const asides = new Map<string, number>()
  const rejects: Reject[] = []
  const rejectedIds: string[] = []
  let hasNamelessReject = false
  for (const [index, item] of items.entries()) {
    if (!isGood(item)) {
      rejects.push({ index, sha256: createHash('sha256').update(item.text).digest('hex') })
      if (item.id === null) hasNamelessReject = true
      else rejectedIds.push(item.id)
      continue
    }
    const former = rows.get(item.row.id)
    if (former !== undefined && !replaces(item.row, former)) continue
    rows.set(item.row.id, item.row)
    asides.set(item.row.id, item.asides)
  }
  const sum = [...asides.values()].reduce((total, count) => total + count, 0)
  const body = items.map(({ text }) => text).join(',')
  return {
    rows,
    rejects,
    rejectedIds,
    hasNamelessReject,
    asides: sum,
    length: items.length,
    sign,
    etag,
    body,
    sent: `${pages} ${onFirst} ${body}`,
    pages,
  }
}
