import { name as parseName, InvalidValueError } from '../../common/parse-values.ts'
import { UsageError } from '../../common/errors.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Database } from '../../db/connect.ts'
import { codeOf, UNIQUE_VIOLATION } from '../../db/errors/sqlstate.ts'
import { holdAccount } from '../../db/lease/hold-account.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireNotRemoved } from '../../sync/open/find-account.ts'
import { accountId } from './resolve-account.ts'

/**
 * Renames an account while no run holds it. Its rows refer to it by number and stay.
 *
 * @throws UsageError when there is no such account, or the new name is none or taken; AccountLockedError
 */
export async function renameAccount(
  database: Database,
  { from, to, signal }: { readonly from: string; readonly to: string; readonly signal: AbortSignal },
): Promise<void> {
  const id = await accountId(database, from)
  const begin = (trx: Transaction) => requireNotRemoved(trx, id, from)
  await holdAccount(database, { accountId: id, mode: 'rename', begin, signal }, async (lease) => {
    try {
      await database.transaction(async (trx) => {
        await lease.fence(trx)
        await trx.kysely.updateTable('headcount.accounts').set({ name: to }).where('id', '=', id).execute()
      })
    } catch (error) {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error
      throw new UsageError(
        `accounts rename: the mirror has an account "${stripControlCharsInLine(to)}" already. Nothing was changed. Choose another name; ` +
          'two accounts cannot be joined.',
        { cause: error },
      )
    }
  })
}

/** @throws UsageError when it is no name of an account */
export function parseNewName(text: string): string {
  try {
    return parseName(text)
  } catch (error) {
    throw error instanceof InvalidValueError
      ? new UsageError(`accounts rename: the new name ${error.message}`)
      : error
  }
}
