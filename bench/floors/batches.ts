import type { SentEvent, SentResponse } from '../account/account.ts'
import { eventRow, paymentRow, responseRow, slotRows } from '../account/rows.ts'
import { copyLine } from './copy-text.ts'
import { AT_ONCE, responsesPath } from './fetching.ts'
import type { Client } from './fetching.ts'

/** Rows in the text form of COPY, table by table. */
export interface CopyBatch {
  readonly responses: string
  readonly payments: string
  readonly slots: string
}

/** The event list in the text form of COPY. */
export function copyEvents(events: readonly SentEvent[]): string {
  return events.map((event) => copyLine('events', eventRow(event))).join('')
}

/** Reads every list, eight ahead, in the order of the key, and gathers batches of so many responses or a little more. */
export async function* copyBatches(
  client: Client,
  events: readonly SentEvent[],
  rowsPerBatch: number,
): AsyncGenerator<CopyBatch> {
  let lists: EventList[] = []
  let rows = 0
  for await (const list of listsInOrder(client, events)) {
    lists.push(list)
    rows += list.responses.length
    if (rows < rowsPerBatch) continue
    yield encode(lists)
    lists = []
    rows = 0
  }
  if (lists.length > 0) yield encode(lists)
}

interface EventList {
  readonly event: SentEvent
  readonly responses: readonly SentResponse[]
}

async function* listsInOrder(client: Client, events: readonly SentEvent[]): AsyncGenerator<EventList> {
  const ahead: Promise<EventList>[] = []
  for (const event of events) {
    const list = readList(client, event)
    // It is awaited in its turn; a failure before that is not unhandled.
    list.catch(() => {})
    ahead.push(list)
    if (ahead.length < AT_ONCE) continue
    const next = await ahead.shift()
    if (next !== undefined) yield next
  }
  for (const list of ahead) yield await list
}

async function readList(client: Client, event: SentEvent): Promise<EventList> {
  const { body } = await client.get(responsesPath(event))
  return { event, responses: (await body.json()) as SentResponse[] }
}

function encode(lists: readonly EventList[]): CopyBatch {
  let [responses, payments, slots] = ['', '', '']
  for (const { event, responses: list } of lists) {
    for (const response of list) {
      responses += copyLine('responses', responseRow(event.id, response))
      const payment = paymentRow(event.id, response)
      if (payment !== null) payments += copyLine('payments', payment)
      for (const slot of slotRows(event.id, response)) slots += copyLine('slots', slot)
    }
  }
  return { responses, payments, slots }
}
