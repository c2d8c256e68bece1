import type { RawBuilder } from 'kysely'
import { CANCELLED, codeOf } from '../../../db/errors/sqlstate.ts'
import { rowObjects, type Transaction } from '../../../db/transaction.ts'

/** How long the statements of a report may take. */
export interface TimeLimit {
  /** Of the next statement. @throws when no time is left */
  readonly leftMs: () => Promise<number> | number
  /** What is thrown when it was too short. */
  readonly exceeded: (cause: unknown) => Error
  /** How long a statement waits for a table that is locked, in ms; when not given as long as there is time. */
  readonly lockTimeoutMs?: number
}

/** Sends one statement; the rows are objects. */
export type Ask = <Row>(query: RawBuilder<Row>) => Promise<readonly Row[]>

/** @param limit null: as long as it takes */
export function askWithin(trx: Transaction, limit: TimeLimit | null): Ask {
  return async <Row>(query: RawBuilder<Row>) => {
    const { sql, parameters } = query.compile(trx.kysely)
    try {
      // guard: time of a report
      const result =
        limit === null
          ? await trx.query(sql, parameters)
          : await trx.queryWithin(await limit.leftMs(), sql, parameters)
      // The statement says of which columns a row is.
      return rowObjects(result) as Row[]
    } catch (error) {
      throw limit !== null && codeOf(error) === CANCELLED ? limit.exceeded(error) : error
    }
  }
}
