import type { Transaction } from '../../db/transaction.ts'
import { requireAccount } from '../resolve-account.ts'
import { defineCall } from './call.ts'
import { readListInput, type ListInput } from './input.ts'

export type ListedRun = Awaited<ReturnType<typeof readRuns>>[number]

export const runsCall = defineCall<ListInput, readonly ListedRun[]>({
  name: 'runs',
  changes: false,
  readInput: readListInput,
  run: async (database, { account, limit }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readRuns(trx, account, limit), { readOnly: true })
  },
})

/** The newest first; order by number, for clocks jump. */
async function readRuns({ kysely }: Transaction, account: string | null, limit: number) {
  const rows = await kysely
    .selectFrom('headcount.sync_runs as run')
    .innerJoin('headcount.accounts as account', 'account.id', 'run.account_id')
    .select(['run.id', 'account.name as account', 'run.mode', 'run.status'])
    .select(['run.started_at', 'run.finished_at', 'run.report'])
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('run.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, ...run }) => ({ run_id: Number(id), ...run }))
}
