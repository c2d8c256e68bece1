import type { QueryResult } from '../../../db/transaction.ts'
import type { Output } from '../../terminal/terminal.ts'

export interface ResultOptions {
  readonly out: Pick<Output, 'isTerminal' | 'width' | 'style'>
  /** The names of the columns come first, in a table and in CSV. */
  readonly header: boolean
  /** CSV: puts a ' before text that a spreadsheet would take for a formula. */
  readonly safeCsv: boolean
  /** CSV for a spreadsheet of this language, as `de-DE`; null: as RFC 4180 has it. */
  readonly excel: string | null
  /** JSON: numbers for int8 and numeric where a double holds every digit. */
  readonly jsonNumbers: boolean
  /** The zone in which instants are written; null: UTC, with a Z. */
  readonly timeZone: string | null
}

/** Writes an answer that comes part by part: the text for each part, and the text after the last one. */
export interface QueryResultWriter {
  readonly part: (rows: QueryResult) => string
  readonly end: () => string
}
