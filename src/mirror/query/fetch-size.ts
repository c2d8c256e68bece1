/** How many rows a cursor is asked for at once: so many that they hold about a million characters. */
import type { QueryResult } from '../../db/transaction.ts'

/** Rows of the first fetch, before anything is known of them; and of any other at most. */
export const FIRST_FETCH = 100
const MAX_ROWS = 2000
const CHARACTERS = 1_000_000

/** @param fetched the rows of the last fetch, one at least */
export function nextFetch(fetched: QueryResult['rows']): number {
  const fitting = Math.floor((fetched.length * CHARACTERS) / characterCount(fetched))
  return Math.max(1, Math.min(fitting, MAX_ROWS))
}

/** Roughly, in characters; never 0. */
function characterCount(rows: QueryResult['rows']): number {
  return rows.flat().reduce<number>((sum, value) => sum + valueLength(value), rows.length)
}

function valueLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8
}
