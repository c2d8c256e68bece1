import { confirmOrRefuse } from '../terminal/confirm.ts'
import type { Flags } from '../../config/config.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import { readAccountSummaries, type AccountSummary } from '../../mirror/accounts/list.ts'
import { removeAccount } from '../../mirror/accounts/remove.ts'
import { readEntries } from '../../mirror/persons/suppression-file.ts'
import type { Command } from '../cli/context.ts'
import { unknownAccount } from '../../mirror/accounts/resolve-account.ts'
import { withMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatCount } from '../../common/text/number.ts'

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
    await terminal.err.write(describe(account) + describeErased(account, erased.length))
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

function describe(account: AccountSummary): string {
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
  const name = stripControlCharsInLine(account)
  return (
    `${formatCount(people, 'person was', 'people were')} erased from it, and the list of them goes, too: a later sync of the same account would ` +
    `bring them back. Export the list first: ${commandName()} person suppressions --account ${quoteForShell(name)} --json\n`
  )
}
