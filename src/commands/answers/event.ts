import type { ViewRow } from '../../common/schema/view-columns.ts'
import { accountFlag, commandName, quoteForShell } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { eventCall, type EventDetails } from '../../mirror/answers/event.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber, moneyText } from '../../common/text/number.ts'
import { drawParts } from '../output/format/prose.ts'
import { drawPairs, listTable, right, text } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'
import { drawBar } from '../output/format/bar.ts'
import { fieldChange } from '../../common/text/field-change.ts'
import { arrivalWords } from './changes.ts'
import { formatUnlessNone, moreLine } from './values.ts'
import { formatDays } from '../../common/text/format-duration.ts'
import { momentText, wallClockText } from '../../common/text/moments.ts'
import { formatRespondents } from './who-comes.ts'

type EventFlags = ListFlags & { readonly account?: string }

/** Days of the pace that are drawn; the JSON has all. */
const SHOWN_DAYS = 14
/** Columns that everything but the bar of a day takes. */
const BESIDE_BAR = 44
const DEFAULT_WIDTH = 80

/** One event: who comes, how responses come in, slots, payments, changes. */
export const event: Command<EventFlags> = async (context) => {
  const { limit, account } = context.flags
  const id = context.operands[0] ?? ''
  const found = await callMirror(context, eventCall, ({ account }) => ({
    account,
    event: id,
    changes: limit,
  }))
  return writeResult(context, { events: found }, (out) =>
    found
      .map((details) =>
        formatEvent(details, { limit, forAccount: account === undefined ? '' : accountFlag(account) }, out),
      )
      .join('\n'),
  )
}

interface EventFormat {
  readonly limit: number
  /** What a command of the same account has at its end. */
  readonly forAccount: string
}

function formatEvent(details: EventDetails, format: EventFormat, out: Output): string {
  const { summary } = details
  const title = stripControlCharsInLine(summary.event_title ?? '(no title)')
  const parts = [
    ['Who comes', comesPart(details, format, out)],
    ['How the responses came in', pacePart(details, out)],
    ['Slots', slotsPart(details, out)],
    ['Changes since the first reading', changesPart(details, format, out)],
  ] as const
  return `${out.style('bold', title)}\n${figures(details, out)}${drawParts(parts, out)}`
}

function figures({ summary, payments, forgotten_at }: EventDetails, out: Output): string {
  const { expected, coming, maybe, unknown, not_coming, responses, respondents, without_email } = summary
  const days = summary.days_until === null ? '' : formatDays(summary.days_until)
  const isOtherDay = summary.event_day !== null && summary.event_at?.startsWith(summary.event_day) === false
  const localDay = isOtherDay ? `, ${summary.event_day} in the zone of the account` : ''
  const replies = [
    `${formatNumber(coming)} say yes`,
    `${formatNumber(maybe)} maybe`,
    ...(unknown === '0' ? [] : [`${formatNumber(unknown)} something without a meaning`]),
    `${formatCount(not_coming, 'reply', 'replies')} no`,
  ]
  const nameless = without_email === '0' ? '' : `, ${formatNumber(without_email)} without an address`
  const forgotten =
    forgotten_at && `names, addresses and messages were forgotten on ${forgotten_at.slice(0, 10)}`
  const signUps = `${formatNumber(summary.sign_ups)} for ${formatCount(summary.slots, 'slot')}`
  return drawPairs(out, [
    ['when', `${momentText(summary.event_at)}${localDay}${days && ` (${days})`}`],
    ['id', stripControlCharsInLine(`${summary.event_id} in account ${summary.account}`)],
    ['expected', `${formatCount(expected, 'person', 'people')}: ${replies.join(', ')}`],
    [
      'responses',
      `${formatNumber(responses)} of ${formatCount(respondents, 'person', 'persons')}${nameless}`,
    ],
    ['people', forgotten],
    ['payments', payments && paymentsText(payments)],
    ['sign-ups', summary.sign_ups === '0' ? null : signUps],
    [
      'last 7 days',
      `${formatNumber(summary.new_7d)} new, ${formatNumber(summary.edited_7d)} edited, ${formatNumber(summary.withdrawn_7d)} withdrawn`,
    ],
    ['list', listText(summary)],
  ])
}

function paymentsText({ payments, amount, amount_after_fee, negative }: ViewRow<'payment_summary'>): string {
  const sums =
    amount === null ? 'no amount' : `${moneyText(amount)}, ${moneyText(amount_after_fee)} after fees`
  const refunds = negative === '0' ? '' : `, ${formatNumber(negative)} of them negative`
  return `${formatNumber(payments)}${refunds}: ${sums} (the service names no currency)`
}

function listText({ checked_at, complete, event_id }: ViewRow<'event_summary'>): string {
  if (complete) return `read ${momentText(checked_at)}, whole`
  const read = checked_at === null ? 'not read yet' : `read ${momentText(checked_at)}, not whole`
  return `${read}: see ${commandName()} status --event ${typedId({ event_id })}`
}

/** As a person types it. */
function typedId({ event_id }: Pick<ViewRow<'event_summary'>, 'event_id'>): string {
  return quoteForShell(stripControlCharsInLine(event_id))
}

function comesPart({ respondents, summary }: EventDetails, format: EventFormat, out: Output): string {
  const expected = respondents.filter(({ expected: people }) => Number(people) > 0)
  if (expected.length === 0) return 'Nobody is expected yet.\n'
  const more = moreLine(expected.length - format.limit, `who-comes ${typedId(summary)}${format.forAccount}`)
  return `${formatRespondents(expected.slice(0, format.limit), out)}${more}`
}

function pacePart({ pace, similar_events }: EventDetails, out: Output): string {
  if (pace.length === 0) return ''
  const shown = pace.slice(-SHOWN_DAYS)
  const most = Math.max(...shown.map(({ people_so_far }) => Number(people_so_far)))
  const room = Math.max(10, (out.width ?? DEFAULT_WIDTH) - BESIDE_BAR)
  const table = listTable(out, shown, [
    ['day', ({ day }) => day],
    [right('new'), ({ new_responses }) => formatUnlessNone(new_responses)],
    [right('withdrawn'), ({ withdrawn_responses }) => formatUnlessNone(withdrawn_responses)],
    [right('people so far'), ({ people_so_far }) => formatNumber(people_so_far)],
    ['', ({ people_so_far }) => drawBar(Number(people_so_far), most, room)],
  ])
  const compared = similar_events.map(
    ({ similar_event_title, similar_event_at, people_then }) =>
      `${stripControlCharsInLine(similar_event_title ?? '')} of ${momentText(similar_event_at)} had ${people_then === null ? 'nobody' : formatCount(people_then, 'person', 'people')} when it was as far away\n`,
  )
  const earlier = pace.length - shown.length
  return `${table}${earlier > 0 ? `and ${formatCount(earlier, 'day')} before\n` : ''}${compared.join('')}`
}

function slotsPart({ slots, thin_slots }: EventDetails, out: Output): string {
  const emptied = thin_slots.filter(({ emptied_at }) => emptied_at !== null)
  const thin = new Set(thin_slots.map(keyOfSlot))
  const shown = [
    ...slots.map((slot) => ({ ...slot, mark: thin.has(keyOfSlot(slot)) ? 'thin' : '' })),
    ...emptied.map((slot) => ({ ...slot, sign_ups: '0', people: '0', mark: 'emptied' })),
  ]
  if (shown.length === 0) return ''
  return listTable(out, shown, [
    ['local time', ({ start_local }) => wallClockText(start_local)],
    [text('slot'), ({ slot_name }) => slot_name ?? ''],
    [right('sign-ups'), ({ sign_ups }) => formatNumber(sign_ups)],
    [right('people'), ({ people }) => formatNumber(people)],
    [right('wanted'), ({ wanted }) => formatNumber(wanted)],
    ['', ({ mark }) => mark],
  ])
}

/** Within one event. */
const keyOfSlot = ({ slot_name, start_date, end_date }: ViewRow<'slot_summary'> | ViewRow<'thin_slots'>) =>
  JSON.stringify([slot_name, start_date, end_date])

function changesPart(
  { summary, changes, changes_total }: EventDetails,
  format: EventFormat,
  out: Output,
): string {
  if (changes.length === 0) return ''
  const table = listTable(out, changes, [
    ['stored (UTC)', ({ changed_at }) => formatTimestamp(changed_at, 'minute')],
    [text('who'), ({ name, response_id }) => name ?? `response ${response_id}`],
    [
      text('what'),
      ({ change, returned, field, old_value, new_value }) =>
        change === 'insert' || change === 'delete'
          ? arrivalWords.response[returned ? 'returned' : change]
          : fieldChange(field ?? '', old_value, new_value),
    ],
  ])
  return `${table}${moreLine(changes_total - changes.length, `changes --event ${typedId(summary)} --since 0${format.forAccount}`)}`
}
