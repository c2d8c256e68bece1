import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import { readAccountSummaries, type AccountSummary } from '../../mirror/accounts/list.ts'
import type { Command } from '../cli/context.ts'
import { withMirrorReadOnly } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { formatNumber } from '../output/format/number.ts'
import { drawTable } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

/** The accounts of the mirror, and what it has of each. */
export const accounts: Command<Flags & { readonly json?: true }> = async (context) => {
  const { flags, terminal } = context
  const found = await withMirrorReadOnly(context, (database) =>
    database.transaction((trx) => readAccountSummaries(trx), { readOnly: true }),
  )
  if (flags.json) await writeJson(terminal.out, { accounts: found.map(({ id: _, ...account }) => account) })
  else await terminal.out.write(found.length === 0 ? nothing() : formatAccounts(found, terminal.out))
  return 0
}

const nothing = () => `No account was mirrored here yet. Begin with: ${commandName()} sync\n`

function formatAccounts(found: readonly AccountSummary[], out: Output): string {
  return drawTable(
    [
      { heading: 'account' },
      { heading: 'e-mail' },
      { heading: 'address' },
      { heading: 'events', align: 'right' },
      { heading: 'responses', align: 'right' },
      { heading: 'keys', align: 'right' },
      { heading: 'last good run' },
    ],
    found.map((account) => [
      stripControlCharsInLine(account.account),
      stripControlCharsInLine(account.email ?? ''),
      stripControlCharsInLine(account.base_url ?? ''),
      formatNumber(account.events),
      formatNumber(account.responses),
      formatNumber(account.active_keys),
      account.removing_since === null
        ? lastGoodRun(account.last_good_run_at)
        : `half removed since ${formatTimestamp(account.removing_since, 'minute')}`,
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
}

function lastGoodRun(at: string | null): string {
  return at === null ? 'none yet' : formatTimestamp(at, 'minute')
}
