import { readAccounts } from '../../config/accounts/read-accounts.ts'
import type { Flags } from '../../config/config.ts'
import { accountFlag, commandName } from '../../common/command-name.ts'
import { ConfigurationError } from '../../common/errors.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import type { Database } from '../../db/connect.ts'
import { accountsCall, readAccountSummaries, type AccountSummary } from '../../mirror/accounts/list.ts'
import { removeAccount } from '../../mirror/accounts/remove.ts'
import { unknownAccount } from '../../mirror/accounts/resolve-account.ts'
import { readEntries } from '../../mirror/persons/suppression-file.ts'
import { confirmOrRefuse } from '../terminal/confirm.ts'
import { parseNewName, renameAccount } from '../../mirror/accounts/rename.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { setAccountCall } from '../../mirror/accounts/set-time-zone.ts'
import { callMirror, withMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { nothingMirrored } from '../output/status.ts'
import { listTable, right, text } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

/** The accounts of the mirror, and what it has of each. */
export const accounts: Command<JsonFlags> = async (context) => {
  const found = await callMirror(context, accountsCall, () => ({}))
  return writeResult(context, { accounts: found.map(({ id: _, ...account }) => account) }, (out) =>
    found.length === 0 ? nothingMirrored() : formatAccounts(found, out),
  )
}

function formatAccounts(found: readonly AccountSummary[], out: Output): string {
  return listTable(out, found, [
    ['account', ({ account }) => account],
    [text('e-mail'), ({ email }) => email ?? ''],
    [text('address'), ({ base_url }) => base_url ?? ''],
    [right('events'), ({ events }) => formatNumber(events)],
    [right('responses'), ({ responses }) => formatNumber(responses)],
    [right('keys'), ({ active_keys }) => formatNumber(active_keys)],
    ['last good run', lastGoodRun],
    [text('time zone'), ({ time_zone }) => time_zone],
  ])
}

function lastGoodRun({ removing_since, last_good_run_at }: AccountSummary): string {
  if (removing_since !== null) return `half removed since ${formatInstant(removing_since)}`
  return last_good_run_at === null ? 'none yet' : formatInstant(last_good_run_at)
}

type SetFlags = JsonFlags & { readonly timeZone: string }

export const accountsSet: Command<SetFlags> = async (context) => {
  const [name = ''] = context.operands
  const set = await callMirror(context, setAccountCall, () => ({
    account: name,
    time_zone: context.flags.timeZone,
  }))
  const { account, time_zone, former_time_zone } = set
  const before = former_time_zone === time_zone ? 'as before' : `${former_time_zone} before`
  const words = `Days and months of account ${stripControlCharsInLine(account)} are those of ${time_zone} now (${before}).\n`
  return writeChange(context, set, words)
}

/** Renames an account while no run holds it. */
export const accountsRename: Command<Flags> = async (context) => {
  const { operands, terminal, signal } = context
  const [from = '', to = ''] = operands
  const name = parseNewName(to)
  await withMirror(context, (database) => renameAccount(database, { from, to: name, signal }))
  await terminal.err.write(
    `Account ${stripControlCharsInLine(from)} is ${stripControlCharsInLine(name)} now, with its runs and keys. Change --account and HEADCOUNT_ACCOUNT ` +
      'where it is mirrored from (cron, services): the mirror no longer has an account of the former name.\n',
  )
  return 0
}

type RemoveFlags = Flags & { readonly yes?: true }

const REMOVAL = {
  question: 'Remove it for ever?',
  notDone: 'accounts remove: nothing was removed',
  verb: 'remove',
}

/** Removes an account with all its data: shows what will be deleted, and asks. */
export const accountsRemove: Command<RemoveFlags> = async (context) => {
  const { operands, terminal, signal } = context
  const [name = ''] = operands
  return withMirror(context, async (database) => {
    const account = await readAccount(database, name)
    const erased = await readEntries(database, account.id)
    const listed = await describeListed(context.flags, name, erased.length)
    await terminal.err.write(describeAccount(account) + describeErased(account, erased.length) + listed)
    // guard: asked before removing
    if (!(await confirmOrRefuse(context, REMOVAL))) {
      await terminal.err.write('Nothing was removed.\n')
      return 0
    }
    const rows = await removeAccount(database, account.id, signal)
    await terminal.err.write(
      `Account ${stripControlCharsInLine(name)} is removed: ${formatCount(rows, 'row')}.\n`,
    )
    return 0
  })
}

async function readAccount(database: Database, name: string): Promise<AccountSummary> {
  const accounts = await database.transaction((trx) => readAccountSummaries(trx), { readOnly: true })
  const found = accounts.find(({ account }) => account === name)
  if (found !== undefined) return found
  throw unknownAccount(
    name,
    accounts.map(({ account }) => account),
  )
}

function describeAccount(account: AccountSummary): string {
  const origin = [account.email, account.base_url]
    .filter((part) => part !== null)
    .map(stripControlCharsInLine)
  const counts = [
    formatCount(account.events, 'event'),
    formatCount(account.responses, 'response'),
    formatCount(account.payments, 'payment'),
    formatCount(account.slots, 'slot'),
    formatCount(account.former_versions, 'former version'),
    formatCount(account.runs, 'run'),
    `${formatCount(account.active_keys, 'key')} in use`,
  ]
  const begun =
    account.removing_since === null
      ? ''
      : ` Its removal began at ${account.removing_since} and is now continued.`
  return `Account ${stripControlCharsInLine(account.account)}${origin.length === 0 ? '' : ` (${origin.join(', ')})`}: ${counts.join(', ')}.${begun}\n`
}

/** With the list goes what keeps them erased. */
function describeErased({ account }: AccountSummary, people: number): string {
  if (people === 0) return ''
  return (
    `${formatCount(people, 'person was', 'people were')} erased from it, and the list of them goes, too: a later sync of the same account would ` +
    `bring them back. Export the list first: ${commandName()} person suppressions${accountFlag(account)} --json\n`
  )
}

/** An account that the accounts file lists comes back with the next run. */
async function describeListed(flags: Flags, name: string, erased: number): Promise<string> {
  const back = erased === 0 ? '' : ', and with it those who were erased from it'
  try {
    const listed = await readAccounts(flags)
    const found =
      listed?.accounts.find(({ account }) => account === name)?.entry ??
      listed?.faults.find((fault) => fault.name === name)
    // guard: removed and still listed
    if (found === undefined) return ''
    return (
      `Warning: it is still listed (${stripControlCharsInLine(found.place)}), so the next run would bring it back${back}. ` +
      'First take its entry, or its key file, away; then remove the account.\n'
    )
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return `Warning: whether it is still listed cannot be read (${stripControlCharsInLine(error.message)}). The next run would bring back an account that is${back}.\n`
  }
}
