/** What `normalise` makes of a payload and `load` writes: events, responses with their parts, rejects, observations. */
import type { JsonObject } from '../json/exact.ts'

/** A bigint as its digits. */
export type IntegerText = string
/** A numeric as its decimal text. */
export type DecimalText = string
/** An instant as ISO 8601 text. */
export type Timestamp = string

/** Which shape a response has (glossary: kind). */
export type ResponseKind = 'reply' | 'payment' | 'signup' | 'mixed' | 'bare'

/** An event as it goes into the mirror. */
export interface EventItem {
  readonly id: string
  readonly title: string | null
  readonly event_at: Timestamp | null
  readonly description: string | null
  readonly event_type: string | null
  readonly location: string | null
  readonly _extra: JsonObject | null
}

/** A response as it goes into the mirror, with its payment and its slots. */
export interface ResponseItem {
  readonly id: IntegerText
  readonly kind: ResponseKind
  readonly name: string | null
  readonly email: string | null
  readonly message: string | null
  readonly quantity: IntegerText | null
  readonly rsvp: string | null
  readonly created_at: Timestamp | null
  readonly updated_at: Timestamp | null
  readonly _extra: JsonObject | null
  readonly payment: PaymentItem | null
  readonly slots: readonly SlotItem[]
}

export interface PaymentItem {
  readonly amount: DecimalText | null
  readonly processing_fee: DecimalText | null
}

/** A slot; its position is its place in the array, from 1. `*_local` is the wall clock as sent, without zone. */
export interface SlotItem {
  readonly name: string | null
  readonly start_date: Timestamp | null
  readonly end_date: Timestamp | null
  readonly start_local: string | null
  readonly end_local: string | null
  readonly _extra: JsonObject | null
}

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
