/** How pg-boss reaches the mirror's database: over the pool of this program, without a connection of its own. */
import type { Db } from 'pg-boss'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { Database } from '../../db/database.ts'
import { rowObjects, type Transaction } from '../../db/transaction.ts'

/** @throws UsageError on PGlite, which one process has open at a time */
export function executorOf({ queryAsDriver }: Database): Db {
  // guard: no queue on PGlite
  if (queryAsDriver === undefined) throw new UsageError(needsPostgres())
  return {
    executeSql: async (text, values) => {
      try {
        return { rows: [...(await queryAsDriver(text, values))] }
      } catch (error) {
        // pg-boss reads the driver's own codes.
        throw error instanceof Error && error.cause instanceof Error ? error.cause : error
      }
    },
  }
}

const needsPostgres = () =>
  'A queue needs Postgres: a pglite: folder is open in one process at a time, so there is nothing to share. ' +
  `Run worker without --queue there, or name postgres://… with ${optionName('database')}; ${commandName()} move copies a mirror to it.`

/** @throws UsageError for the address of a PGlite */
export function requirePostgres(target: string): void {
  if (target.startsWith('pglite:')) throw new UsageError(needsPostgres())
}

/** The same within a transaction of this program. */
export function executorIn(trx: Transaction): Db {
  return {
    executeSql: async (text, values) => ({ rows: rowObjects(await trx.query(text, values)) }),
  }
}
