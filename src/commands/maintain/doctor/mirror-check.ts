import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import { commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { Database } from '../../../db/connect.ts'
import { codeOf, UNDEFINED_TABLE } from '../../../db/errors.ts'
import { keySha256, otherNameOfKey } from '../../../sync/open/find-account.ts'
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
    const stored = await database.kysely
      .selectFrom('headcount.accounts')
      .select(['name', 'key_sha256'])
      .orderBy('id')
      .execute()
    const byKey = Map.groupBy(stored, ({ key_sha256 }) => key_sha256)
    const renamed = accounts.flatMap(({ account, service }) => {
      const names = (byKey.get(keySha256(service.apiKey)) ?? []).map(({ name }) => name)
      // guard: renamed in the file alone
      const name = otherNameOfKey(account, names)
      return name === null ? [] : { account, name }
    })
    if (renamed.length === 0)
      return ok(`${formatCount(stored.length, 'account')} in the mirror, no key has two names`)
    const lines = renamed
      .slice(0, MAX_SHOWN)
      .map(
        ({ account, name }) =>
          `account ${JSON.stringify(account)} of the file has the key of ${JSON.stringify(name)} of the mirror: ` +
          `if it was renamed, run ${commandName()} accounts rename, and until then it is not read`,
      )
    const more = renamed.length - lines.length
    return failed(USAGE, [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return skipped('nothing was mirrored yet')
    return failure(error, DATABASE)
  }
}
