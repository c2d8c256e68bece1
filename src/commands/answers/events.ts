import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { eventsCall, type EventSelection, type ListedEvents } from '../../mirror/answers/events.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatNumber, moneyText } from '../../common/text/number.ts'
import { footnote } from '../output/format/prose.ts'
import { below, listTable, right, text } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'
import { formatUnlessNone, hasMoreLine, isOfMany } from './values.ts'

type EventsFlags = ListFlags & {
  readonly past?: true
  readonly all?: true
}

export const events: Command<EventsFlags> = async (context) => {
  const { limit, past, all } = context.flags
  if (past && all) throw new UsageError('--past and --all exclude each other')
  const which: EventSelection = past ? 'past' : all ? 'all' : 'upcoming'
  const found = await callMirror(context, eventsCall, ({ account }) => ({ account, limit, which }))
  return writeResult(context, found, (out) => formatEvents(found, which, out))
}

function formatEvents({ events: found, has_more }: ListedEvents, which: EventSelection, out: Output): string {
  if (found.length === 0) return noEvents(which)
  const table = listTable(out, found, [
    ['day', ({ event_day }) => event_day ?? ''],
    [text('event'), ({ event_title }) => event_title ?? ''],
    [below('id'), ({ event_id }) => event_id],
    isOfMany(found) && ['account', ({ account }) => account],
    [right('expected'), ({ expected, complete }) => `${formatNumber(expected)}${complete ? '' : '?'}`],
    [right('maybe'), ({ maybe }) => formatNumber(maybe)],
    [right('amount'), ({ amount }) => moneyText(amount)],
    [right('thin'), ({ thin_slots }) => formatUnlessNone(thin_slots)],
    [right('new'), ({ new_7d }) => (new_7d === '0' ? '' : `+${formatNumber(new_7d)}`)],
  ])
  const legend = [
    'expected: people, each person once, by yes-replies, payments and sign-ups; nobody knows who came, or how many fit in',
    'thin: slots that need people; new: responses of the last 7 days',
    ...(found.some(({ complete }) => !complete)
      ? [
          `?: the list was not read whole, or deletions or rejects are open (${commandName()} status --event ID)`,
        ]
      : []),
  ]
  return `${table}${hasMoreLine(has_more, 'query "table event_summary"')}\n${legend.map((line) => footnote(line, out)).join('')}`
}

function noEvents(which: EventSelection): string {
  if (which === 'all') return 'The mirror has no events.\n'
  const other = which === 'past' ? `${commandName()} events` : `${commandName()} events --past`
  return `No ${which === 'past' ? 'past' : 'coming'} events. See also: ${other}\n`
}
