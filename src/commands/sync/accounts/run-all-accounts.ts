/** `sync` and `backfill` of all accounts of a file. */
import { outcomeOf } from '../../../common/schema/run-report.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { Logger, RunMode, RunReport } from '../../../index.ts'
import type { Context } from '../../cli/context.ts'
import { SharedDatabase } from '../../../orchestration/run-pool/shared-database.ts'
import { logTo } from '../../../sync/options.ts'
import { CONNECTIONS_PER_RUN } from '../../../db/database.ts'
import { exitCodeOfRun } from '../../exit-codes.ts'
import { changedRows } from '../../output/run-report.ts'
import { notifyAfterRun } from '../companions/notice-of-run.ts'
import { pooledRunOptions, type OwnOptions, type RunFlags } from '../run-command.ts'
import type { Summary } from './accounts-table.ts'
import { runAll, type EndedRun } from './run-all.ts'
import { firstOf, requireOneAccount } from './select-accounts.ts'

/** So long notices may keep the command from its end, over all accounts. */
const MAX_NOTIFYING_MS = 120_000

/** What they answer, or name, is of one account. */
const flagsOfOne = [
  ['event', '--event'],
  ['adopt', '--adopt'],
  ['acceptDeletions', '--accept-deletions'],
] as const

export async function runAllAccounts(
  context: Context<RunFlags>,
  accounts: Accounts,
  mode: RunMode,
  options: OwnOptions,
): Promise<number> {
  // guard: answers for one account
  requireOneAccount(context.flags, flagsOfOne)
  const { notify, database } = firstOf(accounts)
  const tell = async (ended: readonly EndedRun<RunReport>[], logger: Logger) => {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_NOTIFYING_MS)])
    // To open it takes longer than to ask whether there is anything to tell.
    await using mirror = new SharedDatabase(database.target, {
      connections: CONNECTIONS_PER_RUN,
      log: logTo(logger),
    })
    for (const { config, run } of ended) {
      // The next run tells what is left.
      if (signal.aborted) return
      await notifyAfterRun(run, config, { logger, signal, mirror: { open: mirror.open } })
    }
  }
  return runAll<RunReport>(context, accounts, {
    name: mode,
    run: (config, watch, pool) => {
      const settings = pooledRunOptions(config)
      const force = context.flags.force ?? false
      return pool[mode]({ ...settings, ...options, ...watch, force })
    },
    exitCodeOf: ({ status }) => exitCodeOfRun(status),
    summaryOf,
    changedHeading: 'rows changed',
    afterwards: notify.notifyTo.length > 0 ? tell : undefined,
  })
}

function summaryOf(report: RunReport): Summary {
  return {
    outcome: outcomeOf(report),
    changed: changedRows(report),
    durationMs: report.duration_ms,
    why: whyNotWhole(report),
  }
}

function whyNotWhole({ status, errors, errors_total, held, rejected }: RunReport): string {
  if (status === 'succeeded') return ''
  const [first] = errors
  return [
    ...(first === undefined
      ? []
      : [errors_total > 1 ? `${errors_total} errors, the first: ${first.message}` : first.message]),
    ...(held > 0 ? [`${held} deletions held`] : []),
    ...(rejected > 0 ? [`${rejected} items rejected`] : []),
  ].join('; ')
}
