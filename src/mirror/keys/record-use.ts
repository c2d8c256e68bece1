import { sql } from 'kysely'
import type { IntegerText } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'

/**
 * Notes that these keys were used today, in UTC by the clock of the database. Later calls of the same day write
 * nothing, and a row that another call holds is left to it: nobody waits for a note.
 */
export async function recordKeyUse({ kysely }: Transaction, ids: readonly IntegerText[]): Promise<void> {
  const today = sql`(now() at time zone 'UTC')::date`
  await sql`
    update headcount.api_keys
       set last_used_on = ${today}
     where id in (select id
                    from headcount.api_keys
                   where id = any (${ids}::bigint[]) and (last_used_on is null or last_used_on < ${today})
                     for no key update skip locked)`.execute(kysely)
}
