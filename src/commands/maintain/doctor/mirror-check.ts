import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import { commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { Database } from '../../../db/connect.ts'
import { isOfOtherSchema } from '../../../db/errors.ts'
import { accountKeys, findForeignKeys } from '../../../mirror/accounts/foreign-keys.ts'
import { DATABASE, USAGE, failed, failure, ok, skipped, type CheckResult } from './check.ts'

const MAX_SHOWN = 5

/**
 * Whether the mirror has one of the keys under another name: an account that was renamed in the file alone is not read
 * until the mirror has the same name for it.
 */
export async function checkNames(
  database: Database,
  accounts: readonly AccountConfig[],
): Promise<CheckResult> {
  try {
    const renamed = await findForeignKeys(database, accountKeys(accounts))
    if (renamed.length === 0)
      return ok(`of ${formatCount(accounts.length, 'account')} the mirror has no key under another name`)
    const lines = renamed
      .slice(0, MAX_SHOWN)
      .map(
        ({ account, owner }) =>
          `account ${JSON.stringify(account)} of the file has the key of ${JSON.stringify(owner)} of the mirror: ` +
          `if it was renamed, run ${commandName()} accounts rename, and until then it is not read`,
      )
    const more = renamed.length - lines.length
    return failed(USAGE, [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
  } catch (error) {
    if (isOfOtherSchema(error)) return skipped('no run with this schema has stored a key yet')
    return failure(error, DATABASE)
  }
}
