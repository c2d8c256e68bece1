import type { QueryResult } from '../../db/transaction.ts'

/** A row by its columns; every number and every time stamp is exact text. */
export type Row = Readonly<Record<string, string>>

/** Sends one statement through the same door as `headcount query`. */
export type Ask = (statement: string) => Promise<readonly Row[]>

/** Columns that are NULL, or neither text nor number, are left out of their row. */
export function rowsOf({ columns, rows }: QueryResult): readonly Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap(({ name }, at) => {
        const value = row[at]
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
      }),
    ),
  )
}
