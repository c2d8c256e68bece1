import { sql } from 'kysely'
import type { ReportedHold } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { singleRow } from '../statements.ts'
import { rejectCountsQuery } from './rejects.ts'

/** Of an account; the oldest holds are reported. */
export const MAX_REPORTED_HOLDS = 100

/** The counts of held, unconfirmed, rejected and set-aside data of an account, and the database's time. */
export interface OpenIssues {
  /** Without those that the owner accepted. */
  readonly rejected: number
  readonly held: number
  /** Absences that the next read of their list confirms or not. */
  readonly unconfirmed: number
  readonly set_aside: number
  /** At most {@link MAX_REPORTED_HOLDS}. */
  readonly holds: readonly ReportedHold[]
  readonly now: string
}

export async function countOpenIssues(trx: Transaction, account: number): Promise<OpenIssues> {
  const { rows } = await sql<OpenIssues>`
    select rejected, held, unconfirmed, set_aside, holds, now() as now
      from (${rejectCountsQuery(account, null)}) rejects
     cross join (
       select coalesce(sum(held_deletion_count), 0)::int as held, coalesce(sum(set_aside), 0)::int as set_aside,
              coalesce(sum(jsonb_array_length(unconfirmed_absences)), 0)::int as unconfirmed
         from headcount.sync_state
        where account_id = ${account}
     ) states
     cross join (
       select coalesce(jsonb_agg(to_jsonb(hold) order by since, event_id), '[]') as holds
         from (
           select nullif(event_id, '') as event_id, part->>'since' as since, part->>'reason' as reason,
                  jsonb_array_length(part->'ids') as rows
             from headcount.sync_state state
            cross join jsonb_array_elements(state.held_deletions) as part
            where account_id = ${account} and held_deletion_count > 0
            order by since, event_id
            limit ${MAX_REPORTED_HOLDS}
         ) hold
     ) holds`.execute(trx.kysely)
  return singleRow(rows)
}
