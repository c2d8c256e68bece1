import type { CountedRows } from './report/document.ts'

/** What a statement with a limit says of each row: how many there are without the limit. */
export interface Counted {
  readonly total: string
}

export function countedRows<Row>(
  rows: readonly (Row & Counted)[],
): CountedRows<Omit<Row & Counted, 'total'>> {
  return { total: rows[0]?.total ?? '0', rows: rows.map(({ total: _, ...row }) => row) }
}
