import type { ErasureReport, LeaseMode, RunReport, RunStatus, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { defineList } from './call.ts'
import { UsageError } from '../../common/errors.ts'
import { commandName } from '../../common/command-name.ts'
import { listFields, number, object, orNull } from './input.ts'

/** A run, or a change of the account, as the table `sync_runs` has it. */
export interface ListedRun {
  readonly run_id: number
  readonly account: string
  readonly mode: LeaseMode
  readonly status: RunStatus
  readonly started_at: Timestamp
  /** null while it goes on. */
  readonly finished_at: Timestamp | null
  /** null while it goes on, and of a run that died. */
  readonly report: RunReport | ErasureReport | null
}

const readInput = object({
  ...listFields,
  /** One run by its number; null: the newest. */
  run: orNull(number),
})

export const runsCall = defineList('runs', readInput, async (trx, input) => {
  const found = await readRuns(trx, input)
  if (input.run !== null && found.length === 0) {
    const of = input.account === null ? '' : ` of account ${input.account}`
    throw new UsageError(`There is no run ${input.run}${of}: ${commandName()} runs lists them.`)
  }
  return found
})

/** The newest first; order by number, for clocks jump. */
async function readRuns(
  { kysely }: Transaction,
  { account, limit, run }: ReturnType<typeof readInput>,
): Promise<readonly ListedRun[]> {
  const rows = await kysely
    .selectFrom('headcount.sync_runs as run')
    .innerJoin('headcount.accounts as account', 'account.id', 'run.account_id')
    .select(['run.id', 'account.name as account', 'run.mode', 'run.status'])
    .select(['run.started_at', 'run.finished_at', 'run.report'])
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .$if(run !== null, (query) => query.where('run.id', '=', String(run)))
    .orderBy('run.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, ...run }) => ({ run_id: Number(id), ...run }))
}
