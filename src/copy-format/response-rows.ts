import type { JsonObject } from '../common/json/exact.ts'
import {
  keyColumns,
  LIVE_TABLES,
  valueColumns,
  type ChildTable,
  type SqlType,
} from '../common/schema/live-tables.ts'
import type { ResponseItem } from '../common/schema/items.ts'
import { writeDigits, MAX_DIGITS } from './integers.ts'
import { jsonbText } from './jsonb.ts'
import { Decimal, maxNumericBytes } from './numeric.ts'
import { RowBuffer } from './row-buffer.ts'
import { ParsedTimestamp } from './timestamps.ts'

/** The columns of the live tables as rows are copied, in their order. */
export const COPY_COLUMNS = {
  responses: [...columnsOf('responses'), '_run_id'],
  payments: columnsOf('payments'),
  slots: columnsOf('slots'),
} as const

/** The columns that hold what the service sends, in the order of the rows. */
const VALUE_COLUMNS = {
  responses: Object.entries(LIVE_TABLES.responses.values),
  payments: Object.entries(LIVE_TABLES.payments.values),
  slots: Object.entries(LIVE_TABLES.slots.values),
} as const

function columnsOf(table: ResponseTable): readonly string[] {
  return ['account_id', ...keyColumns(table), ...valueColumns(table)]
}

/** A response has one row in the first, at most one in the second, and any number in the third. */
export type ResponseTable = 'responses' | ChildTable
const tables: readonly ResponseTable[] = ['responses', 'payments', 'slots']

/** What the rows of a list have in common. */
export interface RowKey {
  readonly account: number
  readonly event_id: string
  readonly run: string
}

/** Length and value of an integer or an instant. */
export const FIELD8_BYTES = 12
/** Room for the fields of a row that have a fixed size, and for the lengths of the others. */
export const FIXED_BYTES = 160
/** jsonb has a version before its text. */
const JSONB_VERSION = 1
/** A character of UTF-16 takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3

/** So many numbers are kept of each response: where its rows begin in each table, and how many there were before. */
const MARKS = 5
const INITIAL_RESPONSES = 128
/** Room for payments and slots at first: most lists have few. */
const INITIAL_PART_BYTES = 4096
/** Room for responses where nobody knows how much is needed. */
const INITIAL_BYTES = 16 * 1024
/** Positions of fields in a row of `responses`. */
const ID = COPY_COLUMNS.responses.indexOf('id')
const CREATED_AT = COPY_COLUMNS.responses.indexOf('created_at')
const UPDATED_AT = COPY_COLUMNS.responses.indexOf('updated_at')

// One of each serves for all rows.
const timestamp = new ParsedTimestamp()
const decimal = new Decimal()
let scratch = Buffer.allocUnsafeSlow(64)

/** Rows of responses, each with its payment and its slots, in the order in which they were added. */
export class ResponseRows {
  readonly responses: RowBuffer
  readonly payments: RowBuffer
  readonly slots: RowBuffer
  readonly key: RowKey
  readonly #run: bigint
  #marks = new Int32Array(MARKS * INITIAL_RESPONSES)

  /** @param bytes about how many bytes the rows of `responses` take */
  constructor(key: RowKey, bytes = INITIAL_BYTES) {
    const buffer = (table: ResponseTable, capacity: number) => new RowBuffer(prefixOf(table, key), capacity)
    this.key = key
    this.responses = buffer('responses', bytes)
    this.payments = buffer('payments', INITIAL_PART_BYTES)
    this.slots = buffer('slots', INITIAL_PART_BYTES)
    this.#run = BigInt(key.run)
  }

  /** How many responses there are. */
  get count(): number {
    return this.responses.count
  }

  /** Begins the rows of a response. Until `endResponse` is called, `rollback` takes them back. */
  begin(): void {
    const { responses, payments, slots } = this
    const at = responses.count * MARKS
    if (at === this.#marks.length) {
      const larger = new Int32Array(2 * at)
      larger.set(this.#marks)
      this.#marks = larger
    }
    this.#marks[at] = responses.end
    this.#marks[at + 1] = payments.end
    this.#marks[at + 2] = slots.end
    this.#marks[at + 3] = payments.count
    this.#marks[at + 4] = slots.count
    responses.begin()
  }

  /** Drops what was written since `begin`. */
  rollback(): void {
    const at = this.responses.count * MARKS
    this.responses.end = this.#marks[at] ?? 0
    this.payments.end = this.#marks[at + 1] ?? 0
    this.slots.end = this.#marks[at + 2] ?? 0
    this.payments.count = this.#marks[at + 3] ?? 0
    this.slots.count = this.#marks[at + 4] ?? 0
  }

  /** Ends the rows of a response: writes the last field of its row. */
  endResponse(): void {
    const { responses } = this
    responses.view.setInt32(responses.end, 8)
    responses.view.setBigInt64(responses.end + 4, this.#run)
    responses.end += FIELD8_BYTES
    responses.count += 1
  }

  add({ id, payment, slots, ...values }: ResponseItem): void {
    this.begin()
    this.#integer(this.responses, id)
    this.#values('responses', values)
    this.responses.reserve(FIXED_BYTES)
    this.endResponse()
    if (payment !== null) {
      this.payments.begin()
      this.#integer(this.payments, id)
      this.#values('payments', { ...payment })
      this.payments.count += 1
    }
    for (const [index, slot] of slots.entries()) {
      this.slots.begin()
      this.#integer(this.slots, id)
      this.slots.view.setInt32(this.slots.end, 4)
      this.slots.view.setInt32(this.slots.end + 4, index + 1)
      this.slots.end += 8
      this.#values('slots', { ...slot })
      this.slots.count += 1
    }
  }

  id(index: number): bigint {
    return this.responses.view.getBigInt64(this.#field(index, ID) + 4)
  }

  /** In microseconds since 2000; null when it has none. */
  updatedAt(index: number): bigint | null {
    return this.#instantOf(index, UPDATED_AT)
  }

  /** In microseconds since 2000; null when it has none. */
  createdAt(index: number): bigint | null {
    return this.#instantOf(index, CREATED_AT)
  }

  #instantOf(index: number, field: number): bigint | null {
    const at = this.#field(index, field)
    return this.responses.view.getInt32(at) < 0 ? null : this.responses.view.getBigInt64(at + 4)
  }

  /** The bytes of a response's rows in a table. */
  slice(table: ResponseTable, from: number, to = from + 1): Buffer {
    return this[table].bytes.subarray(this.#start(table, from), this.#start(table, to))
  }

  /** How many rows these responses have in a table. */
  countOf(table: ResponseTable, from: number, to = from + 1): number {
    if (table === 'responses') return to - from
    const mark = table === 'payments' ? 3 : 4
    const before = (index: number) =>
      index === this.count ? this[table].count : (this.#marks[index * MARKS + mark] ?? 0)
    return before(to) - before(from)
  }

  /** The same rows, those of these responses only, in this order. */
  pick(indexes: Iterable<number>): ResponseRows {
    const picked = new ResponseRows(this.key)
    for (const index of indexes) picked.#append(this, index)
    return picked
  }

  #append(other: ResponseRows, index: number): void {
    const { responses, payments, slots } = this
    this.begin()
    // `begin` has written how the row begins, as the other's row does.
    responses.end = this.#marks[responses.count * MARKS] ?? 0
    for (const table of ['responses', 'payments', 'slots'] as const)
      this[table].append(other.slice(table, index))
    responses.count += 1
    payments.count += other.countOf('payments', index)
    slots.count += other.countOf('slots', index)
  }

  #start(table: ResponseTable, index: number): number {
    if (index === this.count) return this[table].end
    return this.#marks[index * MARKS + tables.indexOf(table)] ?? 0
  }

  /** Where the length of a field stands in the row of a response. */
  #field(index: number, field: number): number {
    const { view } = this.responses
    let at = (this.#marks[index * MARKS] ?? 0) + 2
    for (let passed = 0; passed < field; passed += 1) at += 4 + Math.max(0, view.getInt32(at))
    return at
  }

  #values(table: ResponseTable, item: Readonly<Record<string, string | JsonObject | null>>): void {
    const rows = this[table]
    for (const [name, type] of VALUE_COLUMNS[table]) {
      const value = item[name] ?? null
      if (value === null) rows.null()
      else if (typeof value !== 'string') this.#jsonb(rows, value)
      else this.#value(rows, type, value)
    }
  }

  #value(rows: RowBuffer, type: SqlType, text: string): void {
    if (type === 'bigint') this.#integer(rows, text)
    else if (type === 'numeric') this.#numeric(rows, text)
    else if (type === 'timestamptz' || type === 'timestamp') this.#instant(rows, type, text)
    else this.#text(rows, text)
  }

  #text(rows: RowBuffer, value: string): void {
    rows.reserve(FIXED_BYTES + value.length * MAX_BYTES_PER_CHARACTER)
    const start = rows.end + 4
    // Also of the shortest texts: a loop over their characters was tried, and costs more.
    const written = rows.bytes.write(value, start)
    rows.view.setInt32(rows.end, written)
    rows.end = start + written
  }

  /** @param digits of an integer that fits into 64 bits */
  #integer(rows: RowBuffer, digits: string): void {
    rows.reserve(FIXED_BYTES)
    rows.view.setInt32(rows.end, 8)
    if (digits.length > MAX_DIGITS) rows.view.setBigInt64(rows.end + 4, BigInt(digits))
    else writeDigits(rows.view, rows.end + 4, this.#write(digits), 0, digits.length)
    rows.end += FIELD8_BYTES
  }

  /** @param text with an offset, or a wall clock without one */
  #instant(rows: RowBuffer, type: 'timestamptz' | 'timestamp', text: string): void {
    rows.reserve(FIXED_BYTES)
    const iso = type === 'timestamptz' ? text : `${text}Z`
    timestamp.read(this.#write(iso), 0, iso.length)
    rows.view.setInt32(rows.end, 8)
    rows.end = timestamp.write(rows.view, rows.end + 4)
  }

  /** @param text of a decimal number, with or without an exponent, within the bounds of numeric */
  #numeric(rows: RowBuffer, text: string): void {
    rows.reserve(FIXED_BYTES + maxNumericBytes(text.length))
    const end = decimal.read(this.#write(text), 0, text.length)
    if (end < text.length) decimal.shift(Number(text.slice(end + 1)))
    const next = decimal.write(rows.view, rows.end + 4)
    rows.view.setInt32(rows.end, next - rows.end - 4)
    rows.end = next
  }

  #jsonb(rows: RowBuffer, value: JsonObject): void {
    const text = jsonbText(value)
    rows.reserve(FIXED_BYTES + text.length * MAX_BYTES_PER_CHARACTER)
    const start = rows.end + 4
    rows.bytes[start] = JSONB_VERSION
    const written = 1 + rows.bytes.write(text, start + 1)
    rows.view.setInt32(rows.end, written)
    rows.end = start + written
  }

  /** The bytes of a text of ASCII, until the next call. */
  #write(text: string): Buffer {
    if (text.length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * text.length)
    scratch.write(text, 'latin1')
    return scratch
  }
}

/** How each row of a table begins: the number of its fields, the account, the event. */
function prefixOf(table: ResponseTable, { account, event_id }: RowKey): Buffer {
  const id = Buffer.from(event_id)
  const head = Buffer.alloc(14)
  head.writeInt16BE(COPY_COLUMNS[table].length, 0)
  head.writeInt32BE(4, 2)
  head.writeInt32BE(account, 6)
  head.writeInt32BE(id.length, 10)
  return Buffer.concat([head, id])
}
