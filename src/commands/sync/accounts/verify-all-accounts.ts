import { accountFlag, commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import type { VerifyReport } from '../../../index.ts'
import type { Context } from '../../cli/context.ts'
import { exitCodesOfVerify } from '../../exit-codes.ts'
import { verdicts } from '../../output/verify-report.ts'
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

/** Why it is not equal, for nobody should have to ask each account again. */
export function summaryOf(report: VerifyReport): Summary {
  const { status, differences_total, duration_ms, warnings } = report
  const reasons = [...(status === 'equal' ? warnings.slice(0, 1) : []), ...reasonsOf(report)]
  return {
    outcome: verdicts[status][0],
    changed: differences_total,
    durationMs: duration_ms,
    why: reasons.length === 0 && status !== 'equal' ? 'nothing could be compared' : reasons.join('; '),
  }
}

function reasonsOf(report: VerifyReport): readonly string[] {
  const { account, status, errors, errors_total, differences_total, held } = report
  const command = (words: string) => `${commandName()} ${words}${accountFlag(account)}`
  const [first] = errors
  const more = errors_total > 1 ? ` (and ${formatCount(errors_total - 1, 'more error')})` : ''
  const ofErrors = first === undefined ? [] : [`${first.message}${more}`]
  const ofHeld =
    held === 0
      ? []
      : [`${formatCount(held, 'deletion')} held, and not compared: ${command('status')} says why`]
  const ofChanges = [
    ...(report.events_changed ? ['the event list has changed since the last sync'] : []),
    ...listsThat(report.lists_changed, 'changed since the last sync'),
  ]
  if (status === 'equal') return [...ofChanges, ...ofHeld]
  return [
    ...(differences_total === 0
      ? []
      : [`${formatCount(differences_total, 'difference')}, which ${command('backfill --restart')} corrects`]),
    ...ofErrors,
    ...(report.events_undecided ? ['the event list is undecided, for it has no stored digest'] : []),
    ...listsThat(report.lists_undecided, 'undecided, for what they differ from has no stored digest'),
    ...listsThat(report.lists_never_read, 'never read by a sync'),
    ...listsThat(report.lists_failing, 'that the last sync could not read'),
    ...ofChanges,
    ...ofHeld,
  ]
}

function listsThat(ids: readonly string[], what: string): readonly string[] {
  return ids.length === 0 ? [] : [`${formatCount(ids.length, 'list')} ${what}`]
}
