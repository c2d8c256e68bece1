import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { QueueAccount } from './due-groups.ts'

/** The accounts of which the mirror has nothing: one that was added is due at once, whenever its schedule has its next time. */
export async function neverRead(
  { kysely }: Transaction,
  accounts: readonly QueueAccount[],
): Promise<readonly QueueAccount[]> {
  // The first run makes the tables.
  const { rows: made } = await sql`select where to_regclass('headcount.accounts') is not null`.execute(kysely)
  if (made.length === 0) return []
  const { rows } = await sql<{ name: string }>`
    select name from json_array_elements_text(${JSON.stringify(accounts.map(({ name }) => name))}::json) as listed (name)
     where not exists (select from headcount.accounts a where a.name = listed.name)`.execute(kysely)
  const names = new Set(rows.map(({ name }) => name))
  return accounts.filter(({ name }) => names.has(name))
}
