import type { Database } from '../db/connect.ts'
import { UsageError } from '../errors.ts'
import { cleanLine } from './print/clean.ts'

/**
 * Makes sure that an account that was named is one of the mirror: of another one there is nothing to show.
 *
 * @throws UsageError, with the names that there are.
 */
export async function requireAccount(
  { kysely }: Pick<Database, 'kysely'>,
  name: string | null,
): Promise<void> {
  if (name === null) return
  const accounts = await kysely.selectFrom('headcount.accounts').select('name').orderBy('id').execute()
  if (accounts.some((account) => account.name === name)) return
  const known = accounts.map((account) => cleanLine(account.name)).join(', ')
  throw new UsageError(
    `The mirror has no account "${cleanLine(name)}"; it has ${known === '' ? 'none' : known}.`,
  )
}
