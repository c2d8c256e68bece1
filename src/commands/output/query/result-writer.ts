import { csvWriter, excelWriter } from './csv.ts'
import { jsonWriter, ndjsonWriter } from './json.ts'
import { tableWriterOf } from './table.ts'
import type { QueryResultWriter, ResultOptions } from './writer.ts'

export const queryFormats = ['table', 'json', 'ndjson', 'csv'] as const

export type QueryFormat = (typeof queryFormats)[number]

export function queryResultWriter(format: QueryFormat, options: ResultOptions): QueryResultWriter {
  return writers[format](options)
}

const writers: Readonly<Record<QueryFormat, (options: ResultOptions) => QueryResultWriter>> = {
  table: tableWriterOf,
  json: jsonWriter,
  ndjson: ndjsonWriter,
  csv: (options) => (options.excel === null ? csvWriter(options) : excelWriter(options, options.excel)),
}
