import type { Transaction } from '../../db/transaction.ts'
import type { Column } from '../column.ts'
import type { Sink } from '../sink.ts'

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
