/**
 * The rows that the mirror must hold, worked out from what the service sends and from nothing of src: the floors
 * write them, and the check of equality expects them. Values are as db/type-parsers.ts reads them.
 */
import type { SentEvent, SentResponse, SentSlot } from './account.ts'

export type Value = string | number | null
export type Row = readonly Value[]

/** The live tables, their key, and the columns of the service's own data; ours (run, time stamps) are left out. */
export const tables = {
  events: {
    key: words('id'),
    columns: words('id title event_at description event_type location _extra'),
  },
  responses: {
    key: words('event_id id'),
    columns: words('event_id id kind name email message quantity rsvp created_at updated_at _extra'),
  },
  payments: {
    key: words('event_id response_id'),
    columns: words('event_id response_id amount processing_fee'),
  },
  slots: {
    key: words('event_id response_id position'),
    columns: words('event_id response_id position name start_date end_date start_local end_local _extra'),
  },
} satisfies Record<string, { key: readonly string[]; columns: readonly string[] }>

export type TableName = keyof typeof tables
export const tableNames = ['events', 'responses', 'payments', 'slots'] as const satisfies TableName[]

export function eventRow(event: SentEvent): Row {
  const { id, title, event_at, description, event_type, location } = event
  return [id, title, event_at, description, event_type, location, null]
}

export function responseRow(event: string, response: SentResponse): Row {
  const { id, name, email, message, quantity, rsvp, created_at, updated_at } = response
  const people = quantity === undefined ? null : String(quantity)
  const kind = response.slots ? 'signup' : response.amount === undefined ? 'reply' : 'payment'
  return [event, String(id), kind, name, email, message, people, rsvp ?? null, created_at, updated_at, null]
}

/** The payment of a response; null when it has none. */
export function paymentRow(event: string, { id, amount, processing_fee }: SentResponse): Row | null {
  return amount === undefined ? null : [event, String(id), amount, processing_fee ?? null]
}

export function slotRows(event: string, { id, slots = [] }: SentResponse): Row[] {
  return slots.map((slot, place) => [event, String(id), place + 1, ...slotColumns(slot), null])
}

function slotColumns({ name, start_date, end_date }: SentSlot): Row {
  return [name, instant(start_date), instant(end_date), wallClock(start_date), wallClock(end_date)]
}

/** `2025-03-01T10:00:00+02:00` as the same moment in UTC. */
function instant(sent: string): string {
  return `${new Date(sent).toISOString().slice(0, 19)}Z`
}

/** What a clock on the wall showed: the time stamp without its offset. */
function wallClock(sent: string): string {
  return sent.slice(0, 19)
}

function words(text: string): readonly string[] {
  return text.split(' ')
}
