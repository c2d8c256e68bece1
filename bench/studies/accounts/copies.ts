/** Many mirrored accounts from one: read one by one, a thousand would take most of the study's time. */
import { connect } from '../../../src/db/connect.ts'

const tables = ['events', 'responses', 'payments', 'slots', 'sync_state']

/** Copies the mirrored `account-0` to `account-1` and so on: as the first run of each would have left them. */
export async function copyAccount(url: string, accounts: number): Promise<void> {
  await using database = await connect(url)
  await database.transaction(
    async (trx) => {
      const columnsOf = async (table: string, without: string) => {
        const { rows } = await trx.query(
          `select string_agg(quote_ident(column_name), ', ' order by ordinal_position)
             from information_schema.columns
            where table_schema = 'headcount' and table_name = $1 and column_name <> all ($2::text[])
              and is_generated = 'NEVER'`,
          [table, without.split(' ')],
        )
        return String(rows[0]?.[0])
      }
      const own = await columnsOf('accounts', 'id name')
      await trx.query(
        `insert into headcount.accounts (name, ${own})
         select 'account-' || n, ${own} from headcount.accounts, generate_series(1, $1::int - 1) n where name = 'account-0'`,
        [accounts],
      )
      for (const table of tables) {
        const columns = await columnsOf(table, 'account_id')
        await trx.query(
          `insert into headcount.${table} (account_id, ${columns})
           select copy.id, ${columns.replaceAll(/(?<=^|, )/g, 'original.')}
             from headcount.${table} original
             join headcount.accounts first on first.id = original.account_id and first.name = 'account-0'
             join headcount.accounts copy on copy.name <> 'account-0'`,
        )
      }
    },
    { statementTimeoutMs: 0 },
  )
}
