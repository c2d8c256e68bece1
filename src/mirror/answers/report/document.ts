/** The page for a meeting as data: every figure is one of a view. `headcount report` renders it. */
import type { IntegerText, Timestamp } from '../../../common/schema/tables.ts'
import type { DecimalText } from '../../../common/schema/items.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import type { RunSummary } from '../../status/account-facts.ts'
import type { ChangedParts, DigestEvent, DigestMirror } from '../digest/digest.ts'
import type { ListedEvent } from '../events.ts'

/** Events of the table. */
export const MAX_EVENTS = 1000
/** Events to come whose pace is compared with earlier ones. */
export const MAX_COMPARED = 3
/** The pace is shown from so many days before the event on. */
export const PACE_DAYS = 90
/** Months of the table, thin slots, and values of replies without a meaning. */
export const MAX_MONTHS = 120
export const MAX_THIN_SLOTS = 50
export const MAX_VALUES = 20
/** Persons and slots on the page of one event. */
export const MAX_PERSONS = 1000
export const MAX_SLOTS = 500

/** Of an account, or of one of its events. */
export type ReportDocument = AccountReport | EventReport

export interface ReportHead {
  readonly kind: 'headcount report'
  /** Of headcount. */
  readonly version: string
  /** The moment that all of it shows. */
  readonly made_at: Timestamp
  readonly account: string
  /** Of days and times in it, an IANA name. */
  readonly time_zone: string
  /** Whether names and addresses are in it. */
  readonly with_personal: boolean
  readonly mirror: ReportMirror
  readonly changes: WeekChanges
}

export interface AccountReport extends ReportHead {
  readonly subject: 'account'
  readonly events: ReportedEvents
  readonly thin_slots: CountedRows<ViewRow<'thin_slots'>>
  /** Of the next events that somebody answered, those of the next `PACE_DAYS` days. */
  readonly pace: readonly ComparedPace[]
  readonly money: ReportedMoney
  readonly quality: ReportQuality
}

export interface EventReport extends ReportHead {
  readonly subject: 'event'
  readonly summary: ViewRow<'event_summary'>
  /** Those who are expected first, then by name; null without personal data. */
  readonly respondents: CountedRows<ViewRow<'event_respondents'>> | null
  /** null of an event without a time, and of one that nobody answered. */
  readonly pace: ComparedPace | null
  readonly slots: CountedRows<ViewRow<'slot_summary'>>
  readonly thin_slots: CountedRows<ViewRow<'thin_slots'>>
  /** null without a payment. */
  readonly payments: ViewRow<'payment_summary'> | null
  /** When names, addresses and messages were forgotten; null when they are kept. */
  readonly forgotten_at: Timestamp | null
}

/** The first rows, and how many there are. */
export interface CountedRows<Row> {
  readonly total: IntegerText
  readonly rows: readonly Row[]
}

/** How old the page is, and whether it tells all. */
export interface ReportMirror {
  readonly standing: DigestMirror
  readonly last_run: ReportedRun | null
  /** The last run that read every list that was due. */
  readonly last_good_run: ReportedRun | null
}

export type ReportedRun = Pick<RunSummary, 'run_id' | 'status' | 'started_at' | 'finished_at'>

export interface ReportedEvents {
  /** Of the account, also those that are not listed. */
  readonly total: IntegerText
  /** Those to come first, in the order of time, then those that are over, the latest first. */
  readonly rows: readonly ListedEvent[]
  /** Over the listed events. */
  readonly sums: EventSums
}

export interface EventSums {
  readonly upcoming: IntegerText
  /** People expected at the events to come. */
  readonly expected: DecimalText
  readonly responses: IntegerText
  readonly without_email: IntegerText
  readonly new_7d: IntegerText
  readonly edited_7d: IntegerText
  readonly withdrawn_7d: IntegerText
}

export type PaceDay = Pick<
  ViewRow<'response_pace'>,
  'day' | 'days_before' | 'new_responses' | 'withdrawn_responses' | 'people_so_far'
>

export interface PaceLine extends DigestEvent {
  /** The oldest first, the last of them not after the day of the event; of the days before `PACE_DAYS` the last one alone. */
  readonly days: readonly PaceDay[]
}

/** An event beside up to three earlier ones like it, by days before the event. */
export interface ComparedPace {
  readonly event: PaceLine & {
    readonly days_until: number
    /** With those who came after the day of the event; null when nothing has happened. */
    readonly people_so_far: DecimalText | null
  }
  /** The latest first. */
  readonly similar: readonly (PaceLine & {
    /** How many people it had when it was as far away, or as long past; null when nothing had happened by then. */
    readonly people_then: DecimalText | null
  })[]
}

export interface ReportedMoney {
  /** The latest first, payments without a time last. */
  readonly months: readonly ViewRow<'payments_by_month'>[]
  /** Over all months, also those that are not listed. */
  readonly sums: MoneySums
}

export interface MoneySums {
  readonly months: IntegerText
  readonly payments: IntegerText
  readonly amount: DecimalText | null
  readonly processing_fee: DecimalText | null
  readonly amount_after_fee: DecimalText | null
}

/** What became of events and responses in the last seven days, as a digest tells it. */
export interface WeekChanges extends ChangedParts {
  readonly since: Timestamp
}

/** What stands beside the figures. */
export interface ReportQuality {
  /** Items that cannot be stored and were accepted. */
  readonly accepted: number
  /** Values that do not fit their column. */
  readonly set_aside: number
  /** Values of replies without a meaning, the most frequent first. */
  readonly without_meaning: CountedRows<ViewRow<'rsvp_values'>>
}
