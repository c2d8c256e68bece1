import type { ViewRow } from '../../common/schema/view-columns.ts'
import { UsageError } from '../../common/errors.ts'
import { isPseudonym } from '../../normalise/suppression/pseudonym.ts'
import { shorten } from '../../common/text/fit-text.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { eventCall } from '../../mirror/answers/event.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber, moneyText } from '../../common/text/number.ts'
import { listTable, note, right, text } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'
import { formatUnlessNone, isOfMany, meaningText } from './values.ts'

type WhoComesFlags = JsonFlags & { readonly format?: 'table' | 'plain' }
type Respondent = ViewRow<'event_respondents'>

/** Beyond, one message would make the list wide for all; `who` and the JSON have it whole. */
const MAX_MESSAGE_COLUMNS = 60

/** Who is expected at an event; with `--format plain` their addresses, one a line, for a mail program. */
export const whoComes: Command<WhoComesFlags> = async (context) => {
  const { format = 'table', json } = context.flags
  if (json && format === 'plain') throw new UsageError('--json and --format plain exclude each other')
  const event = context.operands[0] ?? ''
  const found = await callMirror(context, eventCall, ({ account }) => ({ account, event, changes: 1 }))
  const expected = found.flatMap(({ respondents }) =>
    respondents.filter((person) => Number(person.expected) > 0),
  )
  if (format === 'plain') {
    const { out, err } = context.terminal
    await out.write(expected.map(addressLine).join(''))
    const silent = expected.filter(({ email }) => addressOf(email) === '').length
    if (err.isTerminal && isOfMany(expected))
      await err.write('These are of several accounts: --account NAME keeps to one\n')
    if (silent > 0 && err.isTerminal)
      await err.write(`${formatCount(silent, 'person', 'persons')} without an address\n`)
    return 0
  }
  return writeResult(context, { who_comes: expected }, (out) =>
    expected.length === 0 ? 'Nobody is expected yet.\n' : formatRespondents(expected, out),
  )
}

/** Without what would be a line of its own. To a pseudonym no mail can be sent. */
function addressOf(email: string | null): string {
  return email === null || isPseudonym('email', email) ? '' : stripControlCharsInLine(email).trim()
}

function addressLine({ email }: Respondent): string {
  const address = addressOf(email)
  return address === '' ? '' : `${address}\n`
}

export function formatRespondents(respondents: readonly Respondent[], out: Output): string {
  const isPaid = respondents.some(({ payments }) => payments !== '0')
  return listTable(out, respondents, [
    [text('name'), ({ name }) => name ?? ''],
    [text('e-mail'), ({ email }) => email ?? ''],
    isOfMany(respondents) && ['account', ({ account }) => account],
    [right('expected'), ({ expected }) => formatNumber(expected)],
    ['reply', ({ meaning }) => meaningText(meaning)],
    isPaid && [right('amount'), ({ amount }) => moneyText(amount)],
    [right('slots'), ({ slots }) => formatUnlessNone(slots)],
    [
      note('message'),
      ({ messages }) => shorten((messages ?? '').replaceAll(/\s+/g, ' '), MAX_MESSAGE_COLUMNS),
    ],
  ])
}
