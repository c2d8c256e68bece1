/**
 * What an item of the service is, as the simulation means it: the text that goes over the wire, and beside it what
 * the mirror must make of it. Whoever makes an item says both, so that nothing here parses or normalises.
 */

/** JSON as it is meant, with integers beyond 2^53 as their digits behind a `#`. */
export type Meant = null | boolean | number | string | readonly Meant[] | { readonly [key: string]: Meant }

export interface EventRow {
  readonly id: string
  readonly title: string | null
  /** UTC with six fraction digits. */
  readonly event_at: string | null
  readonly description: string | null
  readonly event_type: string | null
  readonly location: string | null
  readonly extra: { readonly [key: string]: Meant } | null
}

export interface SlotRow {
  readonly name: string | null
  readonly start_date: string | null
  readonly end_date: string | null
  readonly start_local: string | null
  readonly end_local: string | null
  readonly extra: { readonly [key: string]: Meant } | null
}

export interface ResponseRow {
  readonly id: string
  readonly kind: 'reply' | 'payment' | 'signup' | 'mixed' | 'bare'
  readonly name: string | null
  readonly email: string | null
  readonly message: string | null
  readonly quantity: string | null
  readonly rsvp: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly extra: { readonly [key: string]: Meant } | null
  readonly payment: { readonly amount: string | null; readonly processing_fee: string | null } | null
  readonly slots: readonly SlotRow[]
}

/** An item that becomes a row. */
export interface Good<Row> {
  readonly text: string
  readonly row: Row
  /** Values that are not stored as sent. */
  readonly asides: number
}

/** An item that cannot be stored; with its id when that can be read. */
export interface Bad {
  readonly text: string
  readonly row: null
  readonly id: string | null
}

export type Item<Row> = Good<Row> | Bad
export type ResponseItem = Item<ResponseRow>
export type EventItem = Item<EventRow>

export function isGood<Row>(item: Item<Row>): item is Good<Row> {
  return item.row !== null
}

export function idOf(item: ResponseItem | EventItem): string | null {
  return item.row === null ? item.id : item.row.id
}

const known = new WeakMap<object, string>()

/**
 * The same text for the same value, whatever the order of its keys. Values are never changed once they are made, so
 * that the text of each is written once.
 */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const written = known.get(value)
  if (written !== undefined) return written
  const text = Array.isArray(value) ? `[${value.map(canonical).join(',')}]` : `{${fields(value).join(',')}}`
  known.set(value, text)
  return text
}

function fields(value: object): string[] {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).sort()
}

/** JSON text of the database as it is meant. */
export function meant(text: string): Meant {
  // A reviver takes ten times as long, and only long numbers need one.
  return (/\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as Meant
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? `#${source}`
    : value
}
