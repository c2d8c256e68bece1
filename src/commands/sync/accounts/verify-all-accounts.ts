import { formatCount } from '../../../common/text/number.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { VerifyReport } from '../../../index.ts'
import type { Context } from '../../cli/context.ts'
import { exitCodesOfVerify } from '../../exit-codes.ts'
import { pooledRunOptions } from '../run-command.ts'
import { depthOf, type VerifyFlags } from '../verify.ts'
import type { Summary } from './accounts-table.ts'
import { runAll } from './run-all.ts'
import { requireOneAccount } from './select-accounts.ts'

/** `verify` of all accounts of a file. */
export async function verifyAllAccounts(context: Context<VerifyFlags>, accounts: Accounts): Promise<number> {
  requireOneAccount(context.flags, [['event', '--event']])
  return runAll<VerifyReport>(context, accounts, {
    name: 'verify',
    run: (config, watch, pool) => {
      const settings = pooledRunOptions(config)
      return pool.verify({ ...settings, ...depthOf(context.flags), ...watch })
    },
    exitCodeOf: ({ status }) => exitCodesOfVerify[status],
    summaryOf,
    changedHeading: 'differences',
  })
}

const outcomes = { equal: 'equal', partial: 'not wholly compared', different: 'different' } as const

function summaryOf({
  status,
  differences_total,
  duration_ms,
  errors,
  held,
  warnings,
}: VerifyReport): Summary {
  const [first] = errors
  const ofHeld =
    held === 0 ? '' : `${formatCount(held, 'deletion')} held, and not compared: status --account says why`
  return {
    outcome: outcomes[status],
    changed: differences_total,
    durationMs: duration_ms,
    why: status === 'equal' ? (warnings[0] ?? ofHeld) : (first?.message ?? ofHeld),
  }
}
