/** What `normalise` makes of a payload and `load` writes: events, responses with their parts, rejects, observations. */
import type { JsonObject } from '../json/exact.ts'
import type { LiveTables, SqlType } from './live-tables.ts'

/** A bigint as its digits. */
export type IntegerText = string
/** A numeric as its decimal text. */
export type DecimalText = string
/** An instant as ISO 8601 text. */
export type Timestamp = string

/** Which shape a response has (glossary: kind). */
export type ResponseKind = 'reply' | 'payment' | 'signup' | 'mixed' | 'bare'

/** How a value of a column is given; big integers and amounts as text, to keep their digits. */
export interface ValueTypes {
  text: string
  int: number
  bigint: IntegerText
  numeric: DecimalText
  timestamptz: Timestamp
  /** The wall clock as sent, without zone. */
  timestamp: string
  jsonb: JsonObject
}

/** What the service sends for a row of a live table. */
type Values<Table extends keyof LiveTables> = {
  readonly [Column in keyof LiveTables[Table]['values']]: LiveTables[Table]['values'][Column] extends SqlType
    ? ValueTypes[LiveTables[Table]['values'][Column]] | null
    : never
}

/** An event as it goes into the mirror. */
export interface EventItem extends Values<'events'> {
  readonly id: string
}

/** A response as it goes into the mirror, with its payment and its slots. */
export interface ResponseItem extends Omit<Values<'responses'>, 'kind'> {
  readonly id: IntegerText
  readonly kind: ResponseKind
  readonly payment: PaymentItem | null
  readonly slots: readonly SlotItem[]
}

export interface PaymentItem extends Values<'payments'> {}

/** A slot; its position is its place in the array, from 1. */
export interface SlotItem extends Values<'slots'> {}

/** An item that cannot be stored in the live tables, kept with the reason. */
export interface RejectItem {
  /** Index in the list, from 0. */
  readonly item_index: number
  /** What is wrong, as a stable word: `not_an_object`, `id_missing`, `id_invalid`, `too_deep`, `too_large`, … */
  readonly reason: string
  /** Where, like `$[0].id`. */
  readonly path: string
  /** The item's source text, cut at 64 KiB. */
  readonly payload: string
  /** Length of the whole source text in bytes. */
  readonly bytes: number
  /** SHA-256 of the whole source text, in hexadecimal. */
  readonly sha256: string
  /** The item's id when it can be read: the live row with this id stays. */
  readonly id: string | null
}

/** A reject as it is stored: without its text where the personal data of its event are forgotten. */
export interface StoredReject extends Omit<RejectItem, 'payload'> {
  readonly payload: string | null
}

/** A fact seen on the wire that the specification leaves open. Never a name, an e-mail address or a message. */
export interface Observation {
  /** What was observed: a field (`response.rsvp`, `reply.message`), an item (`slot`), a list (`responses`), a request (`ping`). */
  readonly path: string
  readonly kind: ObservationKind
  /** A short text; what is long or may be personal stands as a word in brackets. */
  readonly value: string
}

/**
 * - `value`: a value of `rsvp` or `event_type`
 * - `sent`: how items of a shape carry a field: `value`, `null` or `absent`
 * - `time_form`: how a time stamp is written
 * - `sent_as`: another JSON type than the specification names, taken as meant: `text` or `number`
 * - `unknown_field`, `duplicate_key`: a key of an item
 * - `gone`: a field that no item of a list has any more, though live rows had it
 * - `order`: how the ids of a list follow one another
 * - `header`, `sign`, `status`: of an answer: the name of a header that hints at limits or paging, a sign that the
 *   list may not be whole, a status
 */
export type ObservationKind =
  | 'value'
  | 'sent'
  | 'time_form'
  | 'sent_as'
  | 'unknown_field'
  | 'duplicate_key'
  | 'gone'
  | 'order'
  | 'header'
  | 'sign'
  | 'status'

/** Of an item that cannot be stored so much is kept. */
export const MAX_PAYLOAD_BYTES = 64 * 1024
