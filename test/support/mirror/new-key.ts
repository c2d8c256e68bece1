import type { Database } from '../../../src/db/connect.ts'
import { createKey } from '../../../src/mirror/keys/keys.ts'

/** A new key of an account of this mirror. */
export async function newKey(database: Database, account = 'default'): Promise<string> {
  const options = { account, label: null, expiresAt: null }
  return (await database.transaction((trx) => createKey(trx, options))).key
}
