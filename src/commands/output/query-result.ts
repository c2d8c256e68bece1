import { stringify } from 'csv-stringify/sync'
import type { QueryResult } from '../../db/transaction.ts'
import { nonFiniteAsText } from '../../common/json/exact.ts'
import type { Output } from '../terminal/terminal.ts'
import {
  escapeControlCharsInJson,
  stripControlCharsInLine,
  stripControlChars,
} from '../../common/strip-control-chars.ts'
import { formatCount } from './format/number.ts'
import { right, tableWriter } from './format/table.ts'

export type QueryFormat = 'table' | 'json' | 'ndjson' | 'csv'

interface AnswerOptions {
  readonly out: Pick<Output, 'isTerminal' | 'width' | 'style'>
  /** Puts a ' before text that a spreadsheet would take for a formula. */
  readonly safeCsv: boolean
}

/** Writes an answer that comes part by part: the text for each part, and the text behind the last one. */
export interface QueryResultWriter {
  readonly part: (rows: QueryResult) => string
  readonly end: () => string
}

/** Rows that decide how wide the columns of a table are. */
const SAMPLE = 1000

export function queryResultWriter(format: QueryFormat, options: AnswerOptions): QueryResultWriter {
  return { table, json, ndjson, csv }[format](options)
}

function ndjson(): QueryResultWriter {
  return {
    part: (answer) => answer.rows.map((row) => `${rowJson(answer, row)}\n`).join(''),
    end: () => '',
  }
}

function json(): QueryResultWriter {
  let isFirst = true
  let isEmpty = true
  return {
    part: (answer) => {
      const columns = escapeControlCharsInJson(JSON.stringify(answer.columns.map(({ name }) => name)))
      const head = isFirst ? `{"columns":${columns},"rows":[` : ''
      const separator = isEmpty ? '\n' : ',\n'
      isFirst = false
      if (answer.rows.length === 0) return head
      isEmpty = false
      return head + separator + answer.rows.map((row) => rowJson(answer, row)).join(',\n')
    },
    end: () => (isEmpty ? ']}\n' : '\n]}\n'),
  }
}

function rowJson(answer: QueryResult, row: readonly unknown[]): string {
  const fields = Object.fromEntries(answer.columns.map(({ name }, at) => [name, row[at]]))
  return escapeControlCharsInJson(JSON.stringify(fields, nonFiniteAsText))
}

/** CSV as RFC 4180 has it, but with a line feed alone at the end of a record. NULL and '' are both empty. */
function csv({ out, safeCsv }: AnswerOptions): QueryResultWriter {
  const write = (rows: readonly (readonly unknown[])[]) => {
    const cells = rows.map((row) => row.map((value) => plain(value) ?? ''))
    const text = stringify(cells, { /* guard: formulas */ escape_formulas: safeCsv })
    return out.isTerminal ? stripControlChars(text) : text
  }
  let isFirst = true
  return {
    part: ({ columns, rows }) => {
      const head = isFirst ? write([columns.map(({ name }) => name)]) : ''
      isFirst = false
      return head + write(rows)
    },
    end: () => '',
  }
}

/** Object ids of the types that read better with their digits below one another. */
const numericTypes = new Set([20, 21, 23, 26, 700, 701, 1700])

/** The first rows are kept until there are enough to say how wide the columns are; few answers have more. */
function table({ out }: AnswerOptions): QueryResultWriter {
  let write: ((rows: readonly string[][]) => string) | null = null
  let kept: string[][] = []
  let isKeeping = true
  let count = 0
  const start = ({ columns }: QueryResult) => {
    const shown = columns.map(({ name, type }) => {
      const heading = stripControlCharsInLine(name)
      return numericTypes.has(type) ? right(heading) : heading
    })
    return tableWriter(shown, { width: out.width, styleHeading: (text) => out.style('bold', text) })
  }
  const release = () => {
    const text = write?.(kept) ?? ''
    kept = []
    isKeeping = false
    return text
  }
  return {
    part: (answer) => {
      write ??= start(answer)
      count += answer.rows.length
      for (const row of answer.rows)
        kept.push(row.map((value) => stripControlCharsInLine(plain(value) ?? '')))
      return isKeeping && kept.length < SAMPLE ? '' : release()
    },
    end: () => `${isKeeping ? release() : ''}(${formatCount(count, 'row')})\n`,
  }
}

/** A value as text; null for NULL. Numbers and times come as the database wrote them. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : JSON.stringify(value, nonFiniteAsText)
}
