import { describeRemoval } from '../../sync/open/find-account.ts'
import { commandName } from '../../common/command-name.ts'
import type { Config } from '../../config/config.ts'
import { ConfigurationError, UsageError } from '../../common/errors.ts'
import type { AccountStatus } from '../../mirror/status/account-status.ts'
import { eventStatusCall, statusCall, type StatusInput } from '../../mirror/calls/status.ts'
import { exitCodesOfStatus } from '../exit-codes.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { formatDeletedEvent, formatEvents } from '../output/event-status.ts'
import { readAccounts, type Accounts } from '../../config/accounts/read-accounts.ts'
import { resultFormat, writeDocument } from '../sync/accounts/result-writer.ts'
import type { StatusMetrics } from '../../telemetry/sdk/status-text.ts'
import { messageText, type Output } from '../terminal/terminal.ts'
import { describeOverdue } from '../output/held-deletions.ts'
import { formatStatus } from '../output/status.ts'

export type StatusFlags = JsonFlags & {
  readonly format?: 'text' | 'prometheus' | 'ndjson'
  /** Milliseconds. */
  readonly maxAge?: number
  /** The id of the one event to show. */
  readonly event?: string
}

export const status: Command<StatusFlags> = async (context) => {
  const { flags } = context
  if (flags.event !== undefined) return eventStatus(context, flags.event)
  const { listed, fault } = await readListed(flags)
  if (listed !== null) {
    const { statusOfListed } = await import('../sync/accounts/status-of-listed.ts')
    return statusOfListed(context, listed)
  }
  // A monitor asks often, and wants no scan of all responses each time.
  const withReplies = wantsReplies(flags)
  const accounts = await callMirror(context, statusCall, (config) => ({
    ...settingsOf(config),
    own: [],
    withReplies,
  }))
  await writeStatuses(context, {
    lines: accounts,
    document: { accounts },
    metrics: { accounts, faultyEntries: fault === null ? null : 1 },
    format: (out) => formatStatus(accounts, out, { withReplies }),
  })
  if (fault !== null) await context.terminal.err.write(messageText(fault.message))
  return flags.maxAge === undefined ? 0 : judge(context, accounts, flags.maxAge)
}

/** Metrics tell of a file that cannot be read, and of all accounts of the mirror: the file that they are written to must not stand still. */
async function readListed(flags: StatusFlags): Promise<{
  readonly listed: Accounts | null
  readonly fault: ConfigurationError | null
}> {
  try {
    return { listed: await readAccounts(flags), fault: null }
  } catch (fault) {
    // guard: metrics beside a file that cannot be read
    if (flags.format !== 'prometheus' || !(fault instanceof ConfigurationError)) throw fault
    return { listed: null, fault }
  }
}

export function settingsOf({ account, run: { maxStalenessMs, holdForMs } }: Config): StatusInput {
  return { account, maxStalenessMs, holdForMs }
}

export function wantsReplies({ maxAge, format }: StatusFlags): boolean {
  return maxAge === undefined && format !== 'prometheus'
}

/** The forms in which statuses are written. */
interface StatusForms {
  /** In NDJSON, a line each. */
  readonly lines: readonly object[]
  readonly document: object
  readonly metrics: StatusMetrics
  readonly format: (out: Output) => string
}

export async function writeStatuses(
  { flags, terminal: { out } }: Context<StatusFlags>,
  { lines, document, metrics, format }: StatusForms,
): Promise<void> {
  if (flags.format === 'prometheus') {
    const { statusText } = await import('../../telemetry/sdk/status-text.ts')
    return out.write(await statusText(metrics))
  }
  await writeDocuments({ flags, out }, lines, document, format)
}

async function writeDocuments(
  { flags, out }: { readonly flags: StatusFlags; readonly out: Output },
  accounts: readonly object[],
  document: object,
  format: (out: Output) => string,
): Promise<void> {
  const chosen = resultFormat(flags)
  if (chosen === null) return out.write(format(out))
  if (chosen === 'json') return writeDocument(out, document, chosen)
  for (const account of accounts) await writeDocument(out, account, chosen)
}

/** For monitoring: every fault in a line, and the exit code of the worst. */
export async function judge(
  { terminal }: Context<StatusFlags>,
  accounts: readonly AccountStatus[],
  maxAgeMs: number,
): Promise<number> {
  const { lines, exitCode } = judgement(accounts, maxAgeMs)
  for (const line of lines) await terminal.err.write(messageText(line))
  return exitCode
}

export function judgement(
  accounts: readonly AccountStatus[],
  maxAgeMs: number,
): { readonly lines: readonly string[]; readonly exitCode: number } {
  const old = tooOld(accounts, maxAgeMs)
  const held = accounts.flatMap(heldTooLong)
  const ifNotOld = held.length > 0 ? exitCodesOfStatus.heldTooLong : 0
  return { lines: [...old, ...held], exitCode: old.length > 0 ? exitCodesOfStatus.tooOld : ifNotOld }
}

async function eventStatus(context: Context<StatusFlags>, id: string): Promise<number> {
  const { events, rejectedIn, deleted } = await callMirror(context, eventStatusCall, (config) => ({
    ...settingsOf(config),
    event: id,
  }))
  const rejected = rejectedIn.map((account) => `account ${account}: ${describeRejected(id)}`)
  if (events.length === 0 && deleted.length === 0) throw new UsageError(rejected.join('\n'))
  await writeDocuments(
    { flags: context.flags, out: context.terminal.out },
    events,
    { events, deleted },
    (out) => [formatEvents(events, out), ...deleted.map(formatDeletedEvent)].join(''),
  )
  for (const line of rejected) await context.terminal.err.write(messageText(line))
  return 0
}

function describeRejected(id: string): string {
  return `event "${id}" is listed, but the listed item is rejected: nothing of it is in the mirror. See why with: ${commandName()} rejects.`
}

function tooOld(accounts: readonly AccountStatus[], maxAgeMs: number): string[] {
  if (accounts.length === 0) return ['no account was ever mirrored here']
  return accounts.flatMap(({ account, age_ms, removing_since }) => {
    if (removing_since !== null) return [`account ${account} is ${describeRemoval(account, removing_since)}`]
    if (age_ms === null) return [`account ${account} had no good run yet`]
    if (age_ms <= maxAgeMs) return []
    return [
      `the last good run of account ${account} began ${formatDuration(age_ms)} ago, more than ${formatDuration(maxAgeMs)}`,
    ]
  })
}

function heldTooLong({ account, held }: AccountStatus): string[] {
  const overdue = held.filter((hold) => hold.overdue)
  return overdue.length === 0 ? [] : [`account ${account}: ${describeOverdue(overdue)}`]
}
