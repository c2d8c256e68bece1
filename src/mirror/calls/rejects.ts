import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { defineList } from './call.ts'
import { listFields, object } from './input.ts'

/** An item that no table can hold, as the table `rejects` has it. */
export interface ListedReject {
  readonly account: string
  /** null: an item of the event list. */
  readonly event_id: string | null
  /** Index in the list, from 0. */
  readonly item_index: number
  /** What is wrong, as a stable word. */
  readonly reason: string
  /** Where, like `$[0].id`. */
  readonly path: string
  /** The item as it was sent, cut at 64 KiB; null when the personal data of its event were forgotten. */
  readonly payload: string | null
  readonly sha256: string
  readonly run_id: number
  readonly seen_at: Timestamp
  /** Of the whole item. */
  readonly bytes: number
  /** When the owner accepted it; null: not. */
  readonly accepted_at: Timestamp | null
}

export interface ListedRejects {
  readonly rejects: readonly ListedReject[]
  /** Whether `limit` left items out. */
  readonly has_more: boolean
}

export const rejectsCall = defineList(
  'rejects',
  object(listFields),
  async (trx, { account, limit }): Promise<ListedRejects> => {
    const rejects = await readRejects(trx, account, limit + 1)
    return { rejects: rejects.slice(0, limit), has_more: rejects.length > limit }
  },
)

async function readRejects(
  { kysely }: Transaction,
  account: string | null,
  limit: number,
): Promise<readonly ListedReject[]> {
  const rows = await kysely
    .selectFrom('headcount.rejects as reject')
    .innerJoin('headcount.accounts as account', 'account.id', 'reject.account_id')
    .select([
      'account.name as account',
      'reject.event_id',
      'reject.item_index',
      'reject.reason',
      'reject.path',
    ])
    .select(['reject.payload', 'reject.sha256', 'reject.run_id', 'reject.seen_at'])
    .select(sql<number>`reject.bytes::float8`.as('bytes'))
    .leftJoin('headcount.accepted_rejects as kept', (join) =>
      join
        .onRef('kept.account_id', '=', 'reject.account_id')
        .on('kept.event_id', 'is not distinct from', sql.ref('reject.event_id'))
        .onRef('kept.sha256', '=', 'reject.sha256'),
    )
    .select('kept.accepted_at')
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('reject.event_id')
    .orderBy('reject.item_index')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, run_id: Number(row.run_id) }))
}
