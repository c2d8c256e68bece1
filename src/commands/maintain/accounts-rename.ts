import { name as readName, InvalidValueError } from '../../common/parse-values.ts'
import type { Flags } from '../../config/config.ts'
import type { Database } from '../../db/connect.ts'
import { codeOf } from '../../db/errors.ts'
import { holdAccount } from '../../db/lease/hold-account.ts'
import { UsageError } from '../../common/errors.ts'
import { renameAccount } from '../../mirror/accounts.ts'
import { requireNotRemoved } from '../../sync/open/find-account.ts'
import type { Command } from '../cli/context.ts'
import { accountId } from '../../mirror/resolve-account.ts'
import { changeMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'

/** SQLSTATE of a name that is taken. */
const UNIQUE_VIOLATION = '23505'

/** Calls an account by another name, while no run holds it. */
export const accountsRename: Command<Flags> = async (context) => {
  const { operands, terminal, signal } = context
  const [from = '', to = ''] = operands
  const name = newName(to)
  await changeMirror(context, async (database) => {
    const id = await accountId(database, from)
    const begin = (trx: Parameters<typeof requireNotRemoved>[0]) => requireNotRemoved(trx, id, from)
    await holdAccount(database, { accountId: id, mode: 'rename', begin, signal }, (lease) =>
      rename(database, name, async (trx) => {
        await lease.fence(trx)
        await renameAccount(trx, id, name)
      }),
    )
  })
  await terminal.err.write(
    `Account ${stripControlCharsInLine(from)} is ${stripControlCharsInLine(name)} now, with its runs and keys. Change --account and HEADCOUNT_ACCOUNT ` +
      'where it is mirrored from (cron, services): its former name is none of this mirror any more.\n',
  )
  return 0
}

function newName(text: string): string {
  try {
    return readName(text)
  } catch (error) {
    throw error instanceof InvalidValueError
      ? new UsageError(`accounts rename: the new name ${error.message}`)
      : error
  }
}

async function rename(
  database: Database,
  name: string,
  work: Parameters<typeof database.transaction<void>>[0],
): Promise<void> {
  try {
    await database.transaction(work)
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION) throw error
    throw new UsageError(
      `accounts rename: the mirror has an account "${stripControlCharsInLine(name)}" already. Nothing was changed. Choose another name; ` +
        'two accounts cannot be joined.',
      { cause: error },
    )
  }
}
