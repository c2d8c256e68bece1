/** `status` with an accounts file: its accounts, also those that were never mirrored, and what else the mirror has. */
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import { readConfig } from '../../../config/config.ts'
import { stripControlChars } from '../../../common/text/strip-control-chars.ts'
import { statusCall } from '../../../mirror/calls/status.ts'
import type { AccountStatus } from '../../../mirror/status/account-status.ts'
import type { Context } from '../../cli/context.ts'
import { worstExitCode } from '../../exit-codes.ts'
import { judge, settingsOf, wantsReplies, writeStatuses, type StatusFlags } from '../../inspect/status.ts'
import { callMirror } from '../../open-mirror.ts'
import { formatStatus } from '../../output/status.ts'
import { requireListed, shownFaults } from './select-accounts.ts'
import { formatStatusTable, type ListedStatus } from './status-table.ts'

export async function statusOfListed(context: Context<StatusFlags>, listed: Accounts): Promise<number> {
  const { flags, terminal } = context
  const { account } = await readConfig(flags)
  if (account !== null) requireListed(listed, account)
  const own = listed.accounts.flatMap(({ account: name, run: { maxStalenessMs, holdForMs } }) =>
    account === null || account === name ? { account: name, maxStalenessMs, holdForMs } : [],
  )
  const withReplies = wantsReplies(flags)
  const found = await callMirror(context, statusCall, (config) => ({
    ...settingsOf(config),
    own,
    withReplies,
  }))
  const names = new Set(own.map((one) => one.account))
  const byName = new Map(found.map((status) => [status.account, status]))
  const accounts: readonly ListedStatus[] = [
    ...own.map((one) => ({ ...(byName.get(one.account) ?? neverMirrored(one.account)), in_file: true })),
    ...found.flatMap((status) => (names.has(status.account) ? [] : { ...status, in_file: false })),
  ]
  const faults = account === null ? listed.faults : []
  // Nobody reads the others any more: an alarm that they are old would never end.
  const watched = accounts.filter(({ in_file }) => in_file)
  const shown = flags.format === 'prometheus' ? watched : accounts
  await writeStatuses(context, shown, { accounts, faults }, (out) =>
    account === null ? formatStatusTable(accounts, out) : formatStatus(accounts, out, { withReplies }),
  )
  if (faults.length > 0)
    for (const fault of shownFaults(listed))
      await terminal.err.write(`headcount: ${stripControlChars(fault)}\n`)
  const judged = flags.maxAge === undefined ? 0 : await judge(context, watched, flags.maxAge)
  return worstExitCode([judged, faults.length > 0 ? 2 : 0])
}

function neverMirrored(account: string): AccountStatus {
  return {
    account,
    email: null,
    base_url: null,
    removing_since: null,
    last_good_run: null,
    last_run: null,
    age_ms: null,
    events_due: 0,
    rows: { events: 0, responses: 0, payments: 0, slots: 0 },
    rejected: 0,
    accepted: 0,
    set_aside: 0,
    held: [],
    unconfirmed: [],
    failing: [],
    deliveries: [],
    rsvp_without_meaning: null,
  }
}
