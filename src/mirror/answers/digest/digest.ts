/** What happened between two runs, in short: the types of a digest of changes. */
import type { JsonValue } from '../../../common/json/exact.ts'
import type { IntegerText, Timestamp } from '../../../common/schema/tables.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import type { DigestPeriod } from './period.ts'

/** Items of a part that are given one by one; the rest is counted. */
export const MAX_ITEMS = 10
/** A slot is near when it begins within so many days. */
export const NEAR_DAYS = 7
/** A mirror is fresh when its last good run began less than so long ago, in ms. */
export const FRESH_MS = 86_400_000

export interface Digest {
  /** One for each account that was asked about. */
  readonly accounts: readonly AccountDigest[]
  /** Whether there is anything to tell: a change, or an account that was read for the first time. */
  readonly is_news: boolean
}

/** One account, in the order in which it is told: what touches most people first. */
export interface AccountDigest extends DigestPeriod, ChangedParts<{ readonly query: string }> {
  /** Items that were there before the mirror, and were read for the first time in this while. */
  readonly first_readings: IntegerText
  readonly money: DigestMoney
  /** Slots of the next days that need people: no change, so they alone are no news. */
  readonly thin_slots: DigestPart<ViewRow<'thin_slots'>>
  readonly mirror: DigestMirror
}

/** What became of events and responses; `More`: what each part has besides. */
export interface ChangedParts<More = unknown> {
  /** The service does not say that they were cancelled: they are no longer listed. */
  readonly events_removed: ChangedPart<RemovedEvent> & More
  /** Moved, renamed or edited in another way. */
  readonly events_changed: ChangedPart<ChangedEvent> & More
  readonly events_announced: ChangedPart<AnnouncedEvent> & More
  /** Without those of events that are no longer listed. */
  readonly responses_withdrawn: ChangedPart<DigestResponse> & More
  readonly responses_changed: ChangedPart<ChangedResponse> & More
  readonly responses_new: ChangedPart<NewResponse> & More
}

/** A list in short. */
export interface ChangedPart<Item> {
  readonly total: IntegerText
  /** The first ten: those of the next events first. */
  readonly items: readonly Item[]
}

export interface DigestPart<Item> extends ChangedPart<Item> {
  /** SQL that lists all of them. */
  readonly query: string
}

export interface DigestEvent {
  readonly event_id: string
  /** Now, else the last one known. */
  readonly event_title: string | null
  readonly event_at: Timestamp | null
}

export interface RemovedEvent extends DigestEvent {
  /** Responses that went with it. */
  readonly responses: IntegerText
}

export interface AnnouncedEvent extends DigestEvent {
  /** It was listed before this while, and went. */
  readonly returned: boolean
}

export interface ChangedField {
  /** As the service spells it; slots as a whole. */
  readonly field: string
  /** As in the document of history; null when it was absent. */
  readonly before: JsonValue
  readonly now: JsonValue
  /** Of a personal value that is not told: `before` and `now` are null. */
  readonly is_withheld?: true
}

export interface ChangedEvent extends DigestEvent {
  readonly fields: readonly ChangedField[]
}

export interface DigestResponse extends DigestEvent {
  readonly response_id: IntegerText
  /** In the response now, else the last one known; null without one, and of people who were erased or forgotten. */
  readonly name: string | null
  readonly rsvp: string | null
  readonly quantity: IntegerText | null
  /** Exact, as it was sent. */
  readonly amount: string | null
}

export interface NewResponse extends DigestResponse {
  /** It was there before this while, and was withdrawn. */
  readonly returned: boolean
}

export interface ChangedResponse extends DigestResponse {
  readonly fields: readonly ChangedField[]
}

/** Payments that came, went, or have another amount or fee. */
export interface MoneyChange {
  readonly payments_new: IntegerText
  readonly payments_changed: IntegerText
  readonly payments_withdrawn: IntegerText
  /** By how much the sum of the amounts rose, exactly; negative when it fell. */
  readonly amount: string
  readonly processing_fee: string
}

export interface DigestMoney extends MoneyChange, DigestPart<DigestEvent & MoneyChange> {}

/** How the mirror stands when the digest is made. */
export interface DigestMirror {
  /** Nothing is held, rejected, failing or unconfirmed. */
  readonly whole: boolean
  /** The last good run began less than a day ago. */
  readonly fresh: boolean
  /** Since the last good run began, in ms; null when there was none. */
  readonly age_ms: number | null
  /** Deletions on hold. */
  readonly held: number
  readonly rejected: number
  /** Lists that could not be read. */
  readonly failing: number
  /** Rows that one reading lacked, of lists in several pages. */
  readonly unconfirmed: number
}
