import type { Transaction } from '../../../db/transaction.ts'
import type { Column } from '../column.ts'
import type { Ask } from '../read-rows.ts'
import type { Sink } from '../../files/sink.ts'

export type ExportFormat = 'csv' | 'ndjson' | 'xlsx' | 'parquet'

export const exportFormats: readonly ExportFormat[] = ['csv', 'ndjson', 'xlsx', 'parquet']

/** What is to be written: a query whose columns are those that the format selects. */
export interface Source {
  readonly trx: Transaction
  readonly query: string
  /** Of the table or view, in their order. */
  readonly columns: readonly Column[]
  /** The name of the table or view. */
  readonly name: string
}

/** What a link shows, all of one moment. */
export interface LinkSource extends Omit<Source, 'trx'> {
  /** Sends one statement, within the time that the whole body may take. */
  readonly ask: Ask
  readonly account: { readonly id: number; readonly name: string }
  /** The one event whose rows are shown; null: of all. */
  readonly event: string | null
  readonly withPersonal: boolean
  /** When the last run ended that read all that was due, with the zone, for people; null: none has. */
  readonly asOf: string | null
}

/** A form in which a link shows a table or view. */
export interface LinkBodyFormat {
  readonly contentType: string
  /** Headers that go with every body. */
  readonly headers?: Readonly<Record<string, string>>
  /** As in `Format`. */
  readonly select: (column: Column) => string
  /** The text of the body, part by part. */
  readonly parts: (source: LinkSource) => AsyncIterable<string>
}

export interface Written {
  readonly rows: number
  /** Texts that were cut, for a cell of a spreadsheet holds no more. */
  readonly cut_cells?: number
}

export interface Format {
  /**
   * What is selected of a column of the relation `v`, as SQL. The relation `zone` has the time zone of the row's account as `name`.
   */
  readonly select: (column: Column) => string
  readonly write: (source: Source, sink: Sink) => Promise<Written>
}
