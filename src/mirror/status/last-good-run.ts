import { sql, type RawBuilder } from 'kysely'
import { notFuture } from '../instants/not-future.ts'

/** SQL: when the last good run of an account began; NULL without one. @param account names the column with its number */
export function lastGoodRunAt(account: string): RawBuilder<unknown> {
  return sql`(
    select started_at from headcount.sync_runs
     where account_id = ${sql.ref(account)} and good and ${notFuture(sql`started_at`)}
     order by id desc limit 1)`
}
