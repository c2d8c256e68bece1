import type { Flags } from '../../config/config.ts'
import { accountsCall, type AccountSummary } from '../../mirror/accounts/list.ts'
import { parseNewName, renameAccount } from '../../mirror/accounts/rename.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { setAccountCall } from '../../mirror/calls/set-account.ts'
import { callMirror, withMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { writeChange, writeResult } from '../output/format/json.ts'
import { nothingMirrored } from '../output/status.ts'
import { formatNumber } from '../../common/text/number.ts'
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
  return listTable(
    out,
    [
      'account',
      text('e-mail'),
      text('address'),
      right('events'),
      right('responses'),
      right('keys'),
      'last good run',
      text('time zone'),
    ],
    found.map((account) => [
      account.account,
      account.email ?? '',
      account.base_url ?? '',
      formatNumber(account.events),
      formatNumber(account.responses),
      formatNumber(account.active_keys),
      account.removing_since === null
        ? lastGoodRun(account.last_good_run_at)
        : `half removed since ${formatInstant(account.removing_since)}`,
      account.time_zone,
    ]),
  )
}

function lastGoodRun(at: string | null): string {
  return at === null ? 'none yet' : formatInstant(at)
}

type SetFlags = JsonFlags & { readonly timeZone: string }

/** Sets the time zone of an account. */
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
