import type { QueryResult } from '../../../db/transaction.ts'
import { nonFiniteAsText } from '../../../common/json/exact.ts'
import { escapeControlCharsInJson } from '../../../common/text/strip-control-chars.ts'
import type { QueryResultWriter, ResultOptions } from './writer.ts'
import { inZone } from './values.ts'
import { fitsDouble } from '../../../outputs/export/formats/spreadsheet-values.ts'

type Columns = QueryResult['columns']
type JsonOptions = Pick<ResultOptions, 'jsonNumbers' | 'timeZone'>

export function ndjsonWriter(options: JsonOptions): QueryResultWriter {
  let toJson: RowToJson | null = null
  return {
    part: ({ columns, rows }) => {
      toJson ??= rowToJson(columns, options)
      return rows.map(toJson).join('\n') + (rows.length === 0 ? '' : '\n')
    },
    end: () => '',
  }
}

export function jsonWriter(options: JsonOptions): QueryResultWriter {
  let toJson: RowToJson | null = null
  let isEmpty = true
  return {
    part: ({ columns, rows }) => {
      const head = toJson === null ? `{"columns":${safeJson(distinctNames(columns))},"rows":[` : ''
      toJson ??= rowToJson(columns, options)
      const separator = isEmpty ? '\n' : ',\n'
      if (rows.length === 0) return head
      isEmpty = false
      return head + separator + rows.map(toJson).join(',\n')
    },
    end: () => (isEmpty ? ']}\n' : '\n]}\n'),
  }
}

type RowToJson = (row: readonly unknown[]) => string

function rowToJson(columns: Columns, { jsonNumbers, timeZone }: JsonOptions): RowToJson {
  const names = distinctNames(columns)
  const changes = columns.map(({ type }) => (jsonNumbers ? numberOf(type) : null) ?? inZone(type, timeZone))
  const changed = (value: unknown, at: number) =>
    typeof value === 'string' ? (changes[at]?.(value) ?? value) : value
  return (row) => safeJson(Object.fromEntries(names.map((name, at) => [name, changed(row[at], at)])))
}

const safeJson = (value: unknown) => escapeControlCharsInJson(JSON.stringify(value, nonFiniteAsText))

/** The names of the columns; a name that was there before gets the first free number behind it: `id`, `id_2`. */
function distinctNames(columns: Columns): readonly string[] {
  const given = new Set(columns.map(({ name }) => name))
  const used = new Set<string>()
  return columns.map(({ name }) => {
    let distinct = name
    for (let number = 2; used.has(distinct) || (distinct !== name && given.has(distinct)); number += 1)
      distinct = `${name}_${number}`
    used.add(distinct)
    return distinct
  })
}

const INT8 = 20
const NUMERIC = 1700

/** For int8 and numeric: the number, where it is the same value to the last digit; else the text. */
function numberOf(type: number): ((text: string) => number | string) | null {
  if (type !== INT8 && type !== NUMERIC) return null
  const isSafeInteger = (text: string) => /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
  return (text) => (isSafeInteger(text) || fitsDouble(text) ? Number(text) : text)
}
