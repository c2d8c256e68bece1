/** The fast way of an ordinary response: from the bytes of its JSON to the bytes of its rows, without objects between. */
import { BACKSLASH, CLOSE_BRACKET, COMMA } from '../../common/json/characters.ts'
import type { ResponseKind } from '../../common/schema/items.ts'
import { LIVE_TABLES } from '../../common/schema/live-tables.ts'
import { MAX_DIGITS, writeDigits } from '../../copy-format/integers.ts'
import { Decimal, maxNumericBytes } from '../../copy-format/numeric.ts'
import { copyBytes, type RowBuffer } from '../../copy-format/row-buffer.ts'
import type { ResponseRows } from '../../copy-format/response-rows.ts'
import { ParsedTimestamp } from '../../copy-format/timestamps.ts'
import { FIELD8_BYTES, FIXED_BYTES } from '../../copy-format/write-value.ts'
import { MAX_ITEM_BYTES } from '../../common/json/exact.ts'
import type { ResponseObserver } from '../observe/responses.ts'
import type { TimestampFormats } from '../observe/timestamp-formats.ts'
import { RESPONSE_FIELDS, SLOT_FIELDS } from '../../common/schema/field-names.ts'
import type { FieldRules } from './field-rules.ts'
import { pseudonymOf } from '../suppression/pseudonym.ts'
import type { ListSuppressions } from '../suppression/suppressions.ts'
import type { ItemIssues } from './item-issues.ts'
import { ARRAY, DECLINED, ESCAPED_TEXT, FieldSpans, INTEGER, NULL, PLAIN_TEXT } from './field-spans.ts'
import { skipSpace } from '../../common/json/scan.ts'

const field = (name: (typeof RESPONSE_FIELDS)[number]) => RESPONSE_FIELDS.indexOf(name)
const ID = field('id')
const NAME = field('name')
const EMAIL = field('email')
const MESSAGE = field('message')
const CREATED_AT = field('created_at')
const UPDATED_AT = field('updated_at')
const QUANTITY = field('quantity')
const RSVP = field('rsvp')
const AMOUNT = field('amount')
const FEE = field('processing_fee')
const SLOTS = field('slots')
const SLOT_NAME = SLOT_FIELDS.indexOf('name')
const START = SLOT_FIELDS.indexOf('start_date')
const END = SLOT_FIELDS.indexOf('end_date')

/** The columns of `responses` between the kind and `_extra`, each with its field. */
const SENT_COLUMNS = Object.entries(LIVE_TABLES.responses.values).flatMap(([name, type]) => {
  const column = RESPONSE_FIELDS.findIndex((field) => field === name)
  return column === -1 ? [] : [{ column, type }]
})
const FIRST_COLUMN = { column: NAME, type: 'text' }
const PERSONAL: readonly number[] = [NAME, EMAIL, MESSAGE]

interface KindBytes {
  readonly name: ResponseKind
  readonly bytes: Buffer
}

const kind = (name: ResponseKind): KindBytes => ({ name, bytes: Buffer.from(name) })
const REPLY = kind('reply')
const PAYMENT = kind('payment')
const SIGNUP = kind('signup')
const MIXED = kind('mixed')
const BARE = kind('bare')

const MAX_AMOUNT_CHARACTERS = 100
const Z = 0x5a

// One of each serves for all items.
const response = new FieldSpans(RESPONSE_FIELDS)
const slot = new FieldSpans(SLOT_FIELDS)
const timestamp = new ParsedTimestamp()
const decimal = new Decimal()

/** More than a pseudonym takes. */
const MAX_PSEUDONYM_BYTES = 64
const NO_PSEUDONYMS: ReadonlyMap<number, (text: string) => string | null> = new Map()

function pseudonymsOf(rules: FieldRules | null): typeof NO_PSEUDONYMS {
  const key = rules?.key
  if (rules === null || key == null) return NO_PSEUDONYMS
  return new Map([...rules.pseudonyms].map((name) => [field(name), (text) => pseudonymOf(name, text, key)]))
}

/** What rows of responses are made without. */
export interface PrivacyOptions {
  /** Rows are made without personal data. */
  readonly withoutPersonal: boolean
  /** Responses of people who were erased: their rows are made without personal data, too. Null: none can be one. */
  readonly suppressed: ListSuppressions | null
  /** Fields that are not stored, or as pseudonyms. */
  readonly rules: FieldRules | null
}

/** Writes ordinary responses of one list. Each is declined, or becomes what the rules of this folder make of it. */
export class ResponseWriter {
  readonly #issues: ItemIssues
  readonly #observer: ResponseObserver | null
  readonly #hasRules: boolean
  /** Columns that are NULL whatever was sent. */
  readonly #nulls: readonly number[]
  readonly #pseudonyms: ReadonlyMap<number, (text: string) => string | null>
  readonly #suppressed: ListSuppressions | null
  #bytes: Buffer = Buffer.alloc(0)
  #kind: KindBytes = BARE
  /** Of the slots of the item: masks, and the forms of both times. */
  readonly #slotForms: number[] = []
  #slotCount = 0

  constructor(issues: ItemIssues, observer: ResponseObserver | null, options: PrivacyOptions) {
    this.#issues = issues
    this.#observer = observer
    const { withoutPersonal, rules } = options
    // guard: left out of bytes
    this.#nulls = withoutPersonal
      ? PERSONAL
      : PERSONAL.filter((place) => rules?.responses.columns.has(RESPONSE_FIELDS[place] ?? ''))
    this.#pseudonyms = withoutPersonal ? NO_PSEUDONYMS : pseudonymsOf(rules)
    this.#hasRules = this.#nulls.length + this.#pseudonyms.size > 0
    this.#suppressed = options.suppressed
  }

  /**
   * Writes the rows of the response that begins at `start`.
   *
   * @returns the place behind it, or DECLINED: then nothing was written
   */
  write(bytes: Buffer, start: number, rows: ResponseRows): number {
    const end = response.read(bytes, start)
    if (end === DECLINED || end - start > MAX_ITEM_BYTES) return DECLINED
    this.#bytes = bytes
    // guard: suppressed in bytes
    if (this.#isSuppressed()) return DECLINED
    this.#slotCount = 0
    rows.begin()
    rows.responses.reserve(end - start + FIXED_BYTES + MAX_PSEUDONYM_BYTES * this.#pseudonyms.size)
    if (this.#writeResponse(rows.responses) && this.#writePayment(rows) && this.#writeSlots(rows)) {
      rows.endResponse()
      this.#observe()
      return end
    }
    rows.rollback()
    return DECLINED
  }

  /** Whether the response may be one of an erased person: that is for the rules to decide. */
  #isSuppressed(): boolean {
    const suppressed = this.#suppressed
    if (suppressed === null) return false
    const { forms, starts, ends } = response
    if (
      suppressed.hasResponses &&
      suppressed.hasResponse(this.#bytes.toString('latin1', starts[ID], ends[ID]))
    )
      return true
    return forms[EMAIL] === PLAIN_TEXT
      ? suppressed.findHash(this.#bytes.toString('utf8', starts[EMAIL], ends[EMAIL])) !== null
      : this.#isPresent(EMAIL)
  }

  #observe(): void {
    const fieldMask = response.mask()
    this.#issues.fieldsPresent |= fieldMask
    const observer = this.#observer
    for (let at = 0; at < 3 * this.#slotCount; at += 3) {
      const slotMask = this.#slotForms[at] ?? 0
      this.#issues.slotFieldsPresent |= slotMask
      observer?.slots.addForms(slotMask, this.#slotForms[at + 1] ?? 0, this.#slotForms[at + 2] ?? 0)
    }
    if (observer === null) return
    observer.states[this.#kind.name].add(fieldMask)
    this.#observeTime(observer.created, CREATED_AT)
    this.#observeTime(observer.updated, UPDATED_AT)
    if (this.#isPresent(RSVP)) this.#observeRsvp(observer)
  }

  #observeTime(forms: TimestampFormats, field: number): void {
    if (this.#isPresent(field)) forms.addForm(this.#formOf(response, field))
  }

  /** The length of a time stamp, negative where it ends with an offset. */
  #formOf({ starts, ends }: FieldSpans, field: number): number {
    const length = (ends[field] ?? 0) - (starts[field] ?? 0)
    return this.#bytes[(ends[field] ?? 0) - 1] === Z ? length : -length
  }

  #observeRsvp(observer: ResponseObserver): void {
    const { starts, ends } = response
    const [start, end] = [starts[RSVP] ?? 0, ends[RSVP] ?? 0]
    if (observer.rsvp.hasBytes(this.#bytes, start, end)) return
    const [value, name, email, message] = [RSVP, NAME, EMAIL, MESSAGE].map((field) => this.#text(field))
    observer.addRsvp(value ?? '', { name: name ?? null, email: email ?? null, message: message ?? null })
    if (observer.rsvp.has(value ?? '')) observer.rsvp.addBytes(this.#bytes, start, end)
  }

  #text(field: number): string | null {
    const { forms, starts, ends } = response
    if (!this.#isPresent(field)) return null
    const text = this.#bytes.toString('utf8', starts[field], ends[field])
    return forms[field] === PLAIN_TEXT ? text : String(JSON.parse(`"${text}"`))
  }

  #writeResponse(rows: RowBuffer): boolean {
    const kind = this.#kindOf()
    this.#kind = kind
    if (response.forms[ID] !== INTEGER || !this.#writeInteger(rows, ID)) return false
    rows.view.setInt32(rows.end, kind.bytes.length)
    rows.end = copyBytes(kind.bytes, 0, kind.bytes.length, rows.bytes, rows.end + 4)
    for (let place = 0; place < SENT_COLUMNS.length; place += 1) {
      const { column, type } = SENT_COLUMNS[place] ?? FIRST_COLUMN
      const at = rows.end
      const isWritten =
        type === 'text'
          ? this.#writeText(rows, response, column)
          : type === 'bigint'
            ? this.#writeInteger(rows, column)
            : this.#writeInstant(rows, column)
      if (!isWritten) return false
      // Written first, so that a text that is none is declined all the same.
      if (!this.#hasRules) continue
      if (this.#nulls.includes(column)) {
        rows.end = at
        rows.null()
      } else if (this.#pseudonyms.has(column)) this.#writePseudonym(rows, at, column)
    }
    rows.null()
    rows.reserve(FIXED_BYTES)
    return true
  }

  #writePseudonym(rows: RowBuffer, at: number, column: number): void {
    rows.end = at
    const text = this.#text(column)
    const pseudonym = text === null ? null : this.#pseudonyms.get(column)?.(text)
    if (pseudonym == null) return rows.null()
    const end = at + 4 + rows.bytes.write(pseudonym, at + 4, 'latin1')
    rows.view.setInt32(at, end - at - 4)
    rows.end = end
  }

  #kindOf(): KindBytes {
    const { forms } = response
    const isReply = this.#isPresent(RSVP)
    const isPaid = this.#isPaid()
    const isSignup = this.#hasSlots()
    if (Number(isReply) + Number(isPaid) + Number(isSignup) > 1) return MIXED
    if (isReply) return REPLY
    if (isPaid) return PAYMENT
    if (isSignup || forms[SLOTS] === ARRAY) return SIGNUP
    return this.#isPresent(QUANTITY) ? REPLY : BARE
  }

  #isPaid(): boolean {
    return this.#isPresent(AMOUNT) || this.#isPresent(FEE)
  }

  #hasSlots(): boolean {
    const { forms, starts } = response
    if (forms[SLOTS] !== ARRAY) return this.#isPresent(SLOTS)
    return this.#bytes[skipSpace(this.#bytes, (starts[SLOTS] ?? 0) + 1)] !== CLOSE_BRACKET
  }

  #isPresent(field: number): boolean {
    return (response.forms[field] ?? 0) > NULL
  }

  #writeText(rows: RowBuffer, { forms, starts, ends }: FieldSpans, field: number): boolean {
    const form = forms[field] ?? 0
    const start = starts[field] ?? 0
    const stop = ends[field] ?? 0
    if (form <= NULL) return writeNull(rows)
    if (form !== PLAIN_TEXT && form !== ESCAPED_TEXT) return false
    const at = rows.end + 4
    const next =
      form === PLAIN_TEXT
        ? copyBytes(this.#bytes, start, stop, rows.bytes, at)
        : copyUnescaped(this.#bytes, start, stop, rows.bytes, at)
    if (next === DECLINED) return false
    rows.view.setInt32(rows.end, next - at)
    rows.end = next
    return true
  }

  #writeInteger(rows: RowBuffer, field: number): boolean {
    const { forms, starts, ends } = response
    const form = forms[field] ?? 0
    const start = starts[field] ?? 0
    const stop = ends[field] ?? 0
    if (form <= NULL) return writeNull(rows)
    if (form !== INTEGER || stop - start > MAX_DIGITS) return false
    rows.view.setInt32(rows.end, 8)
    writeDigits(rows.view, rows.end + 4, this.#bytes, start, stop)
    rows.end += FIELD8_BYTES
    return true
  }

  #writeInstant(rows: RowBuffer, field: number): boolean {
    const { forms, starts, ends } = response
    const form = forms[field] ?? 0
    if (form <= NULL) return writeNull(rows)
    if (form !== PLAIN_TEXT) return false
    if (!timestamp.read(this.#bytes, starts[field] ?? 0, ends[field] ?? 0)) return false
    rows.view.setInt32(rows.end, 8)
    rows.end = timestamp.write(rows.view, rows.end + 4)
    return true
  }

  #writePayment({ payments: rows }: ResponseRows): boolean {
    if (!this.#isPaid()) return true
    rows.begin()
    rows.reserve(FIXED_BYTES + 2 * maxNumericBytes(MAX_AMOUNT_CHARACTERS))
    this.#writeInteger(rows, ID)
    rows.count += 1
    return this.#writeAmount(rows, AMOUNT) && this.#writeAmount(rows, FEE)
  }

  #writeAmount(rows: RowBuffer, field: number): boolean {
    const { forms, starts, ends } = response
    const form = forms[field] ?? 0
    const start = starts[field] ?? 0
    const stop = ends[field] ?? 0
    if (form <= NULL) return writeNull(rows)
    if (form !== PLAIN_TEXT || stop - start > MAX_AMOUNT_CHARACTERS) return false
    if (decimal.read(this.#bytes, start, stop) !== stop) return false
    const end = decimal.write(rows.view, rows.end + 4)
    rows.view.setInt32(rows.end, end - rows.end - 4)
    rows.end = end
    return true
  }

  #writeSlots({ slots }: ResponseRows): boolean {
    if (!this.#hasSlots()) return true
    if (response.forms[SLOTS] !== ARRAY) return false
    let at = response.starts[SLOTS] ?? 0
    for (let position = 1; ; position += 1) {
      at = skipSpace(this.#bytes, at + 1)
      const end = slot.read(this.#bytes, at)
      if (end === DECLINED || !this.#writeSlot(slots, position, end - at)) return false
      at = skipSpace(this.#bytes, end)
      if (this.#bytes[at] === CLOSE_BRACKET) return true
      if (this.#bytes[at] !== COMMA) return false
    }
  }

  #writeSlot(rows: RowBuffer, position: number, length: number): boolean {
    rows.begin()
    rows.reserve(FIXED_BYTES + length)
    this.#writeInteger(rows, ID)
    rows.view.setInt32(rows.end, 4)
    rows.view.setInt32(rows.end + 4, position)
    rows.end += 8
    if (!this.#writeText(rows, slot, SLOT_NAME)) return false
    // Both instants, then both wall clocks.
    const starts = rows.end
    const ends = starts + this.#timeBytes(START)
    const localStarts = ends + this.#timeBytes(END)
    const localEnds = localStarts + this.#timeBytes(START)
    if (!this.#writeTime(rows, START, starts, localStarts)) return false
    if (!this.#writeTime(rows, END, ends, localEnds)) return false
    rows.end = localEnds + this.#timeBytes(END)
    rows.null()
    rows.count += 1
    const at = 3 * this.#slotCount
    this.#slotForms[at] = slot.mask()
    this.#slotForms[at + 1] = this.#slotForm(START)
    this.#slotForms[at + 2] = this.#slotForm(END)
    this.#slotCount += 1
    return true
  }

  /** As `formOf`; 0 for none. */
  #slotForm(field: number): number {
    return (slot.forms[field] ?? 0) > NULL ? this.#formOf(slot, field) : 0
  }

  #timeBytes(field: number): number {
    return (slot.forms[field] ?? 0) > NULL ? FIELD8_BYTES : 4
  }

  #writeTime({ view }: RowBuffer, field: number, at: number, localAt: number): boolean {
    const { forms, starts, ends } = slot
    const form = forms[field] ?? 0
    if (form <= NULL) {
      view.setInt32(at, -1)
      view.setInt32(localAt, -1)
      return true
    }
    if (form !== PLAIN_TEXT) return false
    if (!timestamp.read(this.#bytes, starts[field] ?? 0, ends[field] ?? 0)) return false
    view.setInt32(at, 8)
    timestamp.write(view, at + 4)
    view.setInt32(localAt, 8)
    timestamp.writeLocal(view, localAt + 4)
    return true
  }
}

/** @returns that it was written */
function writeNull(rows: RowBuffer): true {
  rows.null()
  return true
}

/** The bytes that the letter behind a backslash stands for; 0 for `u`, and for what is no escape. */
const escapedBytes = new Uint8Array(256)
const escapes = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
for (const [letter, character] of Object.entries(escapes))
  escapedBytes[letter.charCodeAt(0)] = character.charCodeAt(0)

/** @returns the place behind the copy, or DECLINED for an escape by number */
function copyUnescaped(from: Uint8Array, start: number, end: number, to: Uint8Array, target: number): number {
  let at = target
  for (let index = start; index < end; index += 1) {
    let byte = from[index] ?? 0
    if (byte === BACKSLASH) {
      index += 1
      byte = escapedBytes[from[index] ?? 0] ?? 0
      if (byte === 0) return DECLINED
    }
    to[at] = byte
    at += 1
  }
  return at
}
