/** What `normalise` makes of a payload and `load` writes: events, responses with their parts, and rejects. */
import type { JsonObject } from '../json.ts'

/** A bigint as its digits. */
export type Digits = string
/** A numeric as its decimal text. */
export type Decimal = string
/** An instant as ISO 8601 text. */
export type Timestamp = string

/** Which shape a response has (glossary: kind). */
export type Kind = 'reply' | 'payment' | 'signup' | 'mixed' | 'bare'

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
  readonly id: Digits
  readonly kind: Kind
  readonly name: string | null
  readonly email: string | null
  readonly message: string | null
  readonly quantity: Digits | null
  readonly rsvp: string | null
  readonly created_at: Timestamp | null
  readonly updated_at: Timestamp | null
  readonly _extra: JsonObject | null
  readonly payment: PaymentItem | null
  readonly slots: readonly SlotItem[]
}

export interface PaymentItem {
  readonly amount: Decimal | null
  readonly processing_fee: Decimal | null
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
  /** Place in the list, from 0. */
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
