import { ByteWriter, ParquetWriter, type SchemaElement, type Writer } from 'hyparquet-writer'
import { version } from '../../../common/version.ts'
import { columnName, type Column } from '../column.ts'
import { readRows } from '../read-rows.ts'
import type { Sink } from '../../files/sink.ts'
import type { Format } from './format.ts'
import { decimalUnits } from './decimal-units.ts'

/** A group of rows is held in memory until it is written: so many rows, or about so many characters. */
const GROUP_ROWS = 20_000
const GROUP_CHARACTERS = 4_000_000

/**
 * Parquet: one schema for a table or view, whatever its rows hold. Amounts are DECIMAL(38,6), and exact in a column `…_text` beside;
 * other numerics, which count people, are DECIMAL(38,0). Instants are time stamps with a zone (UTC), wall clocks without.
 */
export const parquet: Format = {
  select: ({ type, ...column }) => {
    const name = columnName({ type, ...column })
    return forms[type]?.select?.(name) ?? (type.endsWith('[]') ? `to_json(${name})::text` : `${name}::text`)
  },
  write: async ({ trx, query, columns }, sink) => {
    const fields = columns.flatMap((column, at) => fieldsOf(column).map((field) => ({ ...field, at })))
    const root = { name: 'root', num_children: fields.length }
    const file = new ParquetWriter({
      writer: sinkWriter(sink),
      schema: [root, ...fields.map(({ element }) => element)],
      createdBy: `headcount version ${version()}`,
    })
    let rows = 0
    for await (const group of groupsOf(readRows((text) => trx.query(text), query))) {
      rows += group.length
      const columnData = fields.map(({ element, at, read }) => ({
        name: element.name,
        data: group.map((row) => (row[at] === null ? null : read(row[at]))),
      }))
      await file.write({ columnData, rowGroupSize: GROUP_ROWS })
    }
    await file.finish()
    return { rows }
  },
}

type Row = readonly unknown[]
type Element = Omit<SchemaElement, 'name' | 'repetition_type'>

interface Form {
  /** The text of the value where it is not given. */
  readonly select?: (name: string) => string
  readonly element: Element
  readonly read: (value: unknown) => unknown
}

const microseconds = (name: string) =>
  `case when isfinite(${name}) then (extract(epoch from ${name}) * 1000000)::bigint end`
const asBigInt = (value: unknown) => BigInt(String(value))

const text: Form = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: String }

function timestamp(isAdjustedToUTC: boolean): Form {
  return {
    select: microseconds,
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } },
    read: asBigInt,
  }
}

function decimal(scale: number): Form {
  return {
    element: {
      type: 'FIXED_LEN_BYTE_ARRAY',
      type_length: 16,
      converted_type: 'DECIMAL',
      precision: 38,
      scale,
    },
    read: (value) => decimalUnits(String(value), scale),
  }
}

/** By type; all others are texts. */
const forms: Readonly<Record<string, Form>> = {
  boolean: { select: (name) => name, element: { type: 'BOOLEAN' }, read: Boolean },
  integer: { select: (name) => name, element: { type: 'INT32' }, read: Number },
  bigint: { element: { type: 'INT64' }, read: asBigInt },
  numeric: decimal(0),
  date: {
    select: (name) => `case when isfinite(${name}) then ${name} - date '1970-01-01' end`,
    element: { type: 'INT32', converted_type: 'DATE' },
    read: Number,
  },
  'timestamp with time zone': timestamp(true),
  'timestamp without time zone': timestamp(false),
}

/** Columns of money, in any view. */
const AMOUNT = /amount|fee/

function fieldsOf({ name, type }: Column) {
  const field = (fieldName: string, { element, read }: Form) => ({
    element: { ...element, name: fieldName, repetition_type: 'OPTIONAL' } satisfies SchemaElement,
    read,
  })
  if (type === 'numeric' && AMOUNT.test(name)) return [field(name, decimal(6)), field(`${name}_text`, text)]
  return [field(name, forms[type] ?? text)]
}

async function* groupsOf(parts: AsyncIterable<readonly Row[]>): AsyncGenerator<Row[]> {
  let group: Row[] = []
  let characters = 0
  for await (const rows of parts) {
    for (const row of rows) {
      group.push(row)
      for (const value of row) if (typeof value === 'string') characters += value.length
      if (group.length < GROUP_ROWS && characters < GROUP_CHARACTERS) continue
      yield group
      group = []
      characters = 0
    }
  }
  if (group.length > 0) yield group
}

/** Sends on what was written after each group of rows. */
function sinkWriter(sink: Sink): Writer {
  const writer = new ByteWriter()
  const flush = async () => {
    await sink.write(writer.getBytes())
    writer.index = 0
  }
  return Object.assign(writer, { flush, finish: flush })
}
