import type { JsonObject } from '../common/json/exact.ts'
import { keyColumns, LIVE_TABLES, valueColumns, type ChildTable } from '../common/schema/live-tables.ts'
import type { ResponseItem } from '../common/schema/items.ts'
import { RowBuffer } from './row-buffer.ts'
import { FIELD8_BYTES, FIXED_BYTES, writeInteger, writeValue } from './write-value.ts'

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
    writeInteger(this.responses, id)
    this.#values('responses', values)
    this.responses.reserve(FIXED_BYTES)
    this.endResponse()
    if (payment !== null) {
      this.payments.begin()
      writeInteger(this.payments, id)
      this.#values('payments', { ...payment })
      this.payments.count += 1
    }
    for (const [index, slot] of slots.entries()) {
      this.slots.begin()
      writeInteger(this.slots, id)
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
    for (const table of tables) this[table].append(other.slice(table, index))
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
    for (const [name, type] of VALUE_COLUMNS[table]) writeValue(rows, type, item[name] ?? null)
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
