import { ZipError } from 'hucre'
import { writeXlsxStream, type CellValue, type ColumnDef } from 'hucre/xlsx'
import { OutputError } from '../../../common/errors.ts'
import { columnName, type Column } from '../column.ts'
import { readRows } from '../read-rows.ts'
import type { Format, Source } from './format.ts'
import { dateCell, numberCell, textCell, timeCell } from './spreadsheet-values.ts'

/** Characters of the name of a sheet at most. */
const MAX_SHEET_NAME = 31
const DAY_SECONDS = 86_400

/**
 * A workbook: times are dates of the spreadsheet, in the time zone of the row's account; a text is never a formula; an id of more than 15
 * digits is a text. After 1,048,575 rows begins a sheet of its own.
 */
export const xlsx: Format = {
  select: (column) => forms[column.type]?.select(columnName(column)) ?? `${columnName(column)}::text`,
  write: async (source, sink) => {
    const counts = { rows: 0, cut_cells: 0 }
    const workbook = writeXlsxStream(cells(source, counts), {
      name: source.name.slice(0, MAX_SHEET_NAME),
      columns: source.columns.map(columnDefinition),
      freezePane: { rows: 1 },
    })
    try {
      for await (const part of workbook) await sink.write(part)
    } catch (error) {
      throw error instanceof ZipError ? tooLarge(source.name, error) : error
    }
    return counts
  },
}

/** ZIP64 would hold more, but programs that open workbooks do not all read it. */
function tooLarge(name: string, cause: ZipError): OutputError {
  return new OutputError(
    `export: ${name} is larger than a workbook can be (4 GiB of text in a sheet): choose --format csv or parquet, or one --event`,
    { cause },
  )
}

interface Form {
  readonly select: (name: string) => string
  readonly cell: (value: unknown) => CellValue
  readonly layout?: Pick<ColumnDef, 'numFmt' | 'width'>
}

const finite = (name: string, seconds: string) => `case when isfinite(${name}) then ${seconds} end`
const asText = (name: string) => `${name}::text`
const asNumber = (value: unknown) => numberCell(String(value))
const asDate = (value: unknown) => dateCell(Number(value))
const asTime = (value: unknown) => timeCell(Number(value))
const timeLayout = { numFmt: 'yyyy-mm-dd hh:mm:ss', width: 19 }

/** By type; all others are texts. */
const forms: Readonly<Record<string, Form>> = {
  boolean: { select: (name) => name, cell: Boolean },
  integer: { select: (name) => name, cell: Number },
  bigint: { select: asText, cell: asNumber, layout: { width: 12 } },
  numeric: { select: asText, cell: asNumber, layout: { width: 12 } },
  date: {
    select: (name) => finite(name, `(${name} - date '1970-01-01') * ${DAY_SECONDS}::float8`),
    cell: asDate,
    layout: { numFmt: 'yyyy-mm-dd', width: 11 },
  },
  'timestamp with time zone': {
    select: (name) => finite(name, `extract(epoch from ${name} at time zone zone.name)::float8`),
    cell: asTime,
    layout: timeLayout,
  },
  'timestamp without time zone': {
    select: (name) => finite(name, `extract(epoch from ${name})::float8`),
    cell: asTime,
    layout: timeLayout,
  },
}

function columnDefinition({ name, type }: Column): ColumnDef {
  return { header: name, width: 20, ...forms[type]?.layout }
}

async function* cells(
  { trx, query, columns }: Source,
  counts: { rows: number; cut_cells: number },
): AsyncGenerator<CellValue[]> {
  const cut = () => {
    counts.cut_cells += 1
  }
  const toCell = columns.map(
    ({ type }) => forms[type]?.cell ?? ((value: unknown) => textCell(String(value), cut)),
  )
  for await (const rows of readRows((text) => trx.query(text), query)) {
    for (const row of rows) {
      counts.rows += 1
      yield row.map((value, at) => (value === null ? null : (toCell[at]?.(value) ?? null)))
    }
  }
}
