/** `status` with an accounts file: its accounts, also those that were never mirrored, and what else the mirror has. */
import { messageText } from '../../terminal/terminal.ts'
import { faultyEntries } from '../../../config/accounts/account-config.ts'
import { MirrorNotFoundError, UsageError } from '../../../common/errors.ts'
import type { Accounts } from '../../../config/accounts/read-accounts.ts'
import { readConfig } from '../../../config/config.ts'
import { renameCommand } from '../../../sync/open/find-account.ts'
import { accountKeys, foreignKeysCall } from '../../../mirror/accounts/foreign-keys.ts'
import { statusCall } from '../../../mirror/calls/status.ts'
import type { AccountStatus } from '../../../mirror/status/account-status.ts'
import type { Context } from '../../cli/context.ts'
import { worstExitCode } from '../../exit-codes.ts'
import {
  judge,
  judgement,
  settingsOf,
  wantsReplies,
  writeStatuses,
  type StatusFlags,
} from '../../inspect/status.ts'
import { callMirror } from '../../open-mirror.ts'
import { formatStatus } from '../../output/status.ts'
import { faultyResults, type AccountResult } from './account-result.ts'
import { requireListed, shownFaults } from './select-accounts.ts'
import { formatStatusTable, type ListedStatus } from './status-table.ts'

export async function statusOfListed(context: Context<StatusFlags>, listed: Accounts): Promise<number> {
  const { flags, terminal } = context
  const config = await readConfig(flags)
  const { account } = config
  // An account that was taken out of the file is still in the mirror; a faulty entry is told before that.
  if (account !== null && listed.faults.some(({ name }) => name === account)) requireListed(listed, account)
  const usable = listed.accounts.filter((one) => account === null || account === one.account)
  const faults = account === null ? listed.faults : []
  const { byName: faulty, others } = sortFaulty(faultyResults(faults), listed)
  const own = [
    ...usable.map((one) => ({ ...settingsOf(one), account: one.account })),
    // What its entry would set is not known.
    ...[...faulty.keys()].map((name) => ({ ...settingsOf(config), account: name })),
  ]
  const withReplies = wantsReplies(flags)
  const asked = callMirror(context, statusCall, (read) => ({ ...settingsOf(read), own, withReplies }))
  const found = await asked.catch((error: unknown) => {
    const isUnknown = error instanceof UsageError || error instanceof MirrorNotFoundError
    if (account !== null && isUnknown) requireListed(listed, account)
    throw error
  })
  const foreign = await foreignKeys(context, usable)
  const inFile = new Set(own.map((one) => one.account))
  const byName = new Map(found.map((status) => [status.account, status]))
  // Unless they are asked for, nobody reads those that the file has not: an alarm that they are old would never end.
  const isWatched = (in_file: boolean) => in_file || account !== null
  const standingOf = (status: AccountStatus, in_file: boolean): ListedStatus => {
    const { account: name, ...standing } = status
    const judged =
      flags.maxAge === undefined || !isWatched(in_file) ? null : judgement([status], flags.maxAge)
    const result = faulty.get(name) ?? foreign.get(name) ?? { exit_code: judged?.exitCode ?? 0, error: null }
    return { account: name, ...result, ...standing, in_file }
  }
  const accounts = [
    ...[...inFile].map((name) => standingOf(byName.get(name) ?? neverMirrored(name, withReplies), true)),
    ...found.flatMap((status) => (inFile.has(status.account) ? [] : standingOf(status, false))),
  ]
  const watched = accounts.filter(({ in_file }) => isWatched(in_file))
  const elements = [...accounts, ...others]
  await writeStatuses(context, {
    lines: elements,
    document: { accounts: elements, faults },
    metrics: { accounts: watched, faultyEntries: faultyEntries(faults).length + foreign.size },
    format: (out) =>
      account === null
        ? formatStatusTable(accounts, others, out)
        : formatStatus(accounts, out, { withReplies }),
  })
  for (const fault of shownFaults({ ...listed, faults })) await terminal.err.write(messageText(fault))
  const judged = flags.maxAge === undefined ? 0 : await judge(context, watched, flags.maxAge)
  // The metrics have them, and are written behind `&&`: those of the other accounts must not stand still.
  // guard: metrics beside a faulty entry
  const isFailure = flags.format !== 'prometheus'
  return worstExitCode([judged, isFailure && faults.length + foreign.size > 0 ? 2 : 0])
}

/** Which of them stand for an account, and which have no name, or that of another entry. */
function sortFaulty(
  results: readonly AccountResult[],
  { accounts }: Pick<Accounts, 'accounts'>,
): {
  readonly byName: ReadonlyMap<string, Omit<AccountResult, 'account'>>
  readonly others: readonly AccountResult[]
} {
  const taken = new Set(accounts.map(({ account }) => account))
  const byName = new Map<string, Omit<AccountResult, 'account'>>()
  const others: AccountResult[] = []
  for (const result of results) {
    const { account, ...ending } = result
    if (account === null || taken.has(account) || byName.has(account)) others.push(result)
    else byName.set(account, ending)
  }
  return { byName, others }
}

/** The accounts that no run reads, for the mirror has their key under another name. No run is stored of them. */
async function foreignKeys(
  context: Context<StatusFlags>,
  accounts: Accounts['accounts'],
): Promise<ReadonlyMap<string, Omit<AccountResult, 'account'>>> {
  const found = await callMirror(context, foreignKeysCall, () => ({ accounts: accountKeys(accounts) }))
  return new Map(
    found.map(({ account, owner }) => {
      const message = `not read: its key is that of account ${JSON.stringify(owner)} of the mirror. If that one was renamed: ${renameCommand(owner, account)}; else check the key`
      return [account, { exit_code: 2, error: { code: 'account_mismatch', message } }]
    }),
  )
}

function neverMirrored(account: string, withReplies: boolean): AccountStatus {
  return {
    account,
    email: null,
    base_url: null,
    removing_since: null,
    moved_to: null,
    moved_at: null,
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
    rsvp_without_meaning: withReplies ? [] : null,
  }
}
