import type { Database } from '../../db/connect.ts'
import { keySha256, otherNameOfKey } from '../../sync/open/find-account.ts'
import { defineCall } from '../calls/call.ts'
import { arrayOf, object, text } from '../calls/input.ts'

/** An account as it is set, by the hash of its key. */
export interface AccountKey {
  readonly account: string
  readonly key_sha256: string
}

/** Of accounts as the settings have them. */
export function accountKeys(
  accounts: readonly { readonly account: string; readonly service: { readonly apiKey: string } }[],
): readonly AccountKey[] {
  return accounts.map(({ account, service }) => ({ account, key_sha256: keySha256(service.apiKey) }))
}

/** An account whose key the mirror has under another name: it is not read. */
export interface ForeignKey {
  readonly account: string
  /** The account of the mirror that has the key. */
  readonly owner: string
}

/** Those that were renamed in one place alone, or have the key of another account. */
export async function findForeignKeys(
  { kysely }: Pick<Database, 'kysely'>,
  accounts: readonly AccountKey[],
): Promise<readonly ForeignKey[]> {
  const stored = await kysely
    .selectFrom('headcount.accounts')
    .select(['name', 'key_sha256'])
    .orderBy('id')
    .execute()
  const byKey = Map.groupBy(stored, ({ key_sha256 }) => key_sha256)
  return accounts.flatMap(({ account, key_sha256 }) => {
    const names = (byKey.get(key_sha256) ?? []).map(({ name }) => name)
    // guard: renamed in the file alone
    const owner = otherNameOfKey(account, names)
    return owner === null ? [] : { account, owner }
  })
}

const readInput = object({ accounts: arrayOf('objects', object({ account: text, key_sha256: text })) })

export const foreignKeysCall = defineCall({
  name: 'foreign-keys',
  changes: false,
  readInput,
  run: (database, { accounts }) => findForeignKeys(database, accounts),
})
