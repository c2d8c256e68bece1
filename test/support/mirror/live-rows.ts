import type { Database } from '../../../src/db/connect.ts'
import { compare } from '../accounts/account-texts.ts'

/** The live tables of an account but for what is ours: its number, the moments and the runs. */
export async function readLive(database: Database, account = 'default'): Promise<string[]> {
  const tables = ['events', 'responses', 'payments', 'slots'].map(
    (table) => `select '${table}', to_jsonb(t) - '{account_id,_first_seen_at,_changed_at,_run_id}'::text[]
                  from headcount.${table} t join headcount.accounts a on a.id = t.account_id
                 where a.name = $1`,
  )
  const { rows } = await database.transaction((trx) => trx.query(tables.join(' union all '), [account]), {
    readOnly: true,
  })
  return rows.map((row) => JSON.stringify(row)).toSorted(compare)
}
