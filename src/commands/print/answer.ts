import { stringify } from 'csv-stringify/sync'
import type { Answer } from '../../db/transaction.ts'
import type { Output } from '../terminal.ts'
import { cleanJson, cleanLine, clean } from './clean.ts'
import { formatCount } from './number.ts'
import { drawTable } from './table.ts'

export type AnswerFormat = 'table' | 'json' | 'ndjson' | 'csv'

interface AnswerOptions {
  readonly out: Pick<Output, 'isTerminal' | 'width' | 'style'>
  /** Puts a ' before text that a spreadsheet would take for a formula. */
  readonly safeCsv: boolean
}

/** Rows written at once. */
const CHUNK = 1000

/** The answer to a query as text, in pieces, the last one ending with a line feed. */
export function formatAnswer(answer: Answer, format: AnswerFormat, options: AnswerOptions): Iterable<string> {
  const write = { table, json, ndjson, csv }[format]
  return write(answer, options)
}

function* ndjson(answer: Answer): Iterable<string> {
  for (const rows of chunks(answer)) yield rows.map((row) => `${rowJson(answer, row)}\n`).join('')
}

function* json(answer: Answer): Iterable<string> {
  const columns = cleanJson(JSON.stringify(answer.columns.map(({ name }) => name)))
  yield `{"columns":${columns},"rows":[`
  let separator = '\n'
  for (const rows of chunks(answer)) {
    yield separator + rows.map((row) => rowJson(answer, row)).join(',\n')
    separator = ',\n'
  }
  yield answer.rows.length === 0 ? ']}\n' : '\n]}\n'
}

function rowJson(answer: Answer, row: readonly unknown[]): string {
  const fields = Object.fromEntries(answer.columns.map(({ name }, at) => [name, row[at]]))
  return cleanJson(
    JSON.stringify(fields, (_, value: unknown) => (isOddNumber(value) ? String(value) : value)),
  )
}

/** NaN and the infinities, which JSON would write as null. */
function isOddNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isFinite(value)
}

/** CSV as RFC 4180 has it, but with a line feed alone at the end of a record. NULL and '' are both empty. */
function* csv(answer: Answer, { out, safeCsv }: AnswerOptions): Iterable<string> {
  const show = (text: string) => (out.isTerminal ? clean(text) : text)
  const write = (rows: readonly (readonly unknown[])[]) =>
    show(
      stringify(
        rows.map((row) => row.map((value) => plain(value) ?? '')),
        { escape_formulas: safeCsv },
      ),
    )
  yield write([answer.columns.map(({ name }) => name)])
  for (const rows of chunks(answer)) yield write(rows)
}

/** Object ids of the types that read better with their digits below one another. */
const numericTypes = new Set([20, 21, 23, 26, 700, 701, 1700])

function* table(answer: Answer, { out }: AnswerOptions): Iterable<string> {
  const columns = answer.columns.map(({ name, type }) => ({
    heading: cleanLine(name),
    align: numericTypes.has(type) ? ('right' as const) : ('left' as const),
  }))
  const rows = answer.rows.map((row) => row.map((value) => cleanLine(plain(value) ?? '')))
  const drawn = drawTable(columns, rows, {
    width: out.width,
    styleHeading: (text) => out.style('bold', text),
  })
  yield `${drawn}(${formatCount(answer.rows.length, 'row')})\n`
}

/** A value as text; null for NULL. Numbers and times come as the database wrote them. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  return isOddNumber(value) ? String(value) : JSON.stringify(value)
}

function chunks(answer: Answer): (readonly (readonly unknown[])[])[] {
  const count = Math.ceil(answer.rows.length / CHUNK)
  return Array.from({ length: count }, (_, at) => answer.rows.slice(at * CHUNK, (at + 1) * CHUNK))
}
