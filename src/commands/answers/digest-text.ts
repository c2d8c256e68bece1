/** A digest as plain text of 80 columns, for a terminal and a mail. */
import { commandName } from '../../common/command-name.ts'
import { formatAge } from '../../common/text/format-duration.ts'
import type { ViewRow } from '../../common/schema/views.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import {
  NEAR_DAYS,
  type AccountDigest,
  type ChangedField,
  type Digest,
  type DigestEvent,
  type DigestMirror,
  type DigestMoney,
  type DigestPart,
  type DigestResponse,
  type MoneyChange,
} from '../../mirror/answers/digest/digest.ts'
import { formatCount, formatNumber, moneyText } from '../../common/text/number.ts'
import { shorten, wrapWords } from '../../common/text/fit-text.ts'
import { fieldChange } from '../../common/text/field-change.ts'
import { wallClockText } from '../../common/text/wall-clock.ts'

const COLUMNS = 80

/** Ends with a line feed. Of a mirror without an account it says so. */
export function digestText({ accounts }: Digest): string {
  if (accounts.length === 0) return `No account was mirrored here yet. Begin with: ${commandName()} sync\n`
  return accounts.map((account) => accountText(account)).join('\n')
}

function accountText(digest: AccountDigest): string {
  const clock = clockOf(digest.time_zone)
  const parts = [
    part('No longer listed', digest.events_removed, (event) =>
      event.responses === '0'
        ? eventText(event, clock)
        : `${eventText(event, clock)}, with ${formatCount(event.responses, 'response')}`,
    ),
    part(
      'Events changed',
      digest.events_changed,
      (event) => `${titleOf(event)}: ${eventFields(event.fields, clock)}`,
    ),
    part('Announced', digest.events_announced, (event) =>
      event.returned ? `${eventText(event, clock)}, listed again` : eventText(event, clock),
    ),
    part('Withdrawn', digest.responses_withdrawn, (response) => responseText(response)),
    part(
      'Changed',
      digest.responses_changed,
      (response) => `${responseText(response)}: ${fieldsText(response.fields)}`,
    ),
    part('New', digest.responses_new, (response) => `${responseText(response)}${answerOf(response)}`),
    moneyPart(digest.money),
    part(`Slots of the next ${NEAR_DAYS} days that need people`, digest.thin_slots, slotText),
  ].filter((text) => text !== '')
  const [heading, first] = [headingOf(digest, clock), beginning(digest)]
  const nothing = parts.length === 0 && first === '' ? 'Nothing new.\n' : ''
  return [heading, first, nothing, ...parts, mirrorText(digest.mirror)]
    .filter((text) => text !== '')
    .join('\n')
}

function headingOf({ account, since, after_run_id }: AccountDigest, clock: Clock): string {
  const from = since === null ? 'the beginning' : clock(since)
  return line(
    `${account}: since ${from}${since === null || after_run_id === null ? '' : ` (run ${after_run_id})`}`,
    '',
  )
}

function beginning({ begins, first_readings }: AccountDigest): string {
  if (!begins) return ''
  const there =
    first_readings === '0' ? '' : ` ${formatCount(first_readings, 'item')} there before are no news.`
  return `${wrapWords(`This account was read for the first time. From now on a digest tells what changes.${there}`, { width: COLUMNS, hang: 0 })}\n`
}

/** A heading with the number, a line for each item, and how to see the rest. Empty without items. */
function part<Item>(
  heading: string,
  { total, items, query }: DigestPart<Item>,
  describe: (item: Item) => string,
): string {
  if (items.length === 0) return ''
  const lines = items.map((item) => line(describe(item), '  '))
  return [line(`${heading}: ${formatNumber(total)}`, ''), ...lines, rest(total, items.length, query)].join('')
}

function rest(total: string, shown: number, query: string): string {
  const more = BigInt(total) - BigInt(shown)
  if (more <= 0n) return ''
  const command = `and ${formatNumber(String(more))} more: ${commandName()} query ${stripControlCharsInLine(inShell(query))}`
  // A line break within a quoted text would be a part of it.
  const width = /'[^']* [^']*'/.test(query) ? null : COLUMNS
  return `  ${wrapWords(command, { width, hang: 4, used: 2 })}\n`
}

/** A text as one word of a shell. What would be code within double quotes stands in single ones. */
function inShell(text: string): string {
  return /["$\\`!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`
}

function line(text: string, indent: string): string {
  return `${indent}${shorten(stripControlCharsInLine(text), COLUMNS - indent.length)}\n`
}

function moneyPart(money: DigestMoney): string {
  const [first] = money.items
  if (first === undefined) return ''
  const whole = `Money: ${moneyChange(money)}`
  if (money.total === '1') return line(`${whole}, ${titleOf(first)}`, '')
  const lines = money.items.map((event) => line(`${titleOf(event)}: ${moneyChange(event)}`, '  '))
  return [line(whole, ''), ...lines, rest(money.total, money.items.length, money.query)].join('')
}

/** `+25.50 (2 new payments, 1 changed)`. */
function moneyChange({ amount, payments_new, payments_changed, payments_withdrawn }: MoneyChange): string {
  const counts = [
    payments_new !== '0' && formatCount(payments_new, 'new payment'),
    payments_changed !== '0' && `${formatNumber(payments_changed)} changed`,
    payments_withdrawn !== '0' && `${formatNumber(payments_withdrawn)} withdrawn`,
  ].filter((count) => count !== false)
  return `${amount.startsWith('-') ? '' : '+'}${moneyText(amount)} (${counts.join(', ')})`
}

function slotText(slot: ViewRow<'thin_slots'>): string {
  const wanted = `${formatNumber(slot.people)} of ${formatNumber(slot.wanted)}`
  return `${wallClockText(slot.start_local)} ${slot.slot_name ?? 'slot'}, ${titleOf(slot)}: ${wanted}${slot.emptied_at === null ? '' : ', emptied'}`
}

function titleOf(event: Pick<DigestEvent, 'event_id' | 'event_title'>): string {
  return event.event_title || event.event_id
}

function eventText(event: DigestEvent, clock: Clock): string {
  return event.event_at === null ? titleOf(event) : `${titleOf(event)}, ${clock(event.event_at)}`
}

function responseText(response: DigestResponse): string {
  return `${shorten(response.name || `response ${response.response_id}`, 40)}, ${titleOf(response)}`
}

function answerOf({ rsvp, quantity, amount }: DigestResponse): string {
  const said = [
    rsvp !== null && `rsvp ${rsvp}`,
    quantity !== null && `quantity ${formatNumber(quantity)}`,
    amount !== null && `amount ${moneyText(amount)}`,
  ].filter((text) => text !== false)
  return said.length === 0 ? '' : `: ${said.join(', ')}`
}

const verbs: Readonly<Record<string, string>> = { event_at: 'moved', title: 'renamed', location: 'relocated' }

function eventFields(fields: readonly ChangedField[], clock: Clock): string {
  const time = (value: string | null) => (value === null ? null : clock(value))
  return fields
    .map(({ field, before, now }) => {
      const [from, to] = [asText(before), asText(now)]
      const verb = verbs[field]
      if (field === 'event_at') return `${verb} from ${time(from) ?? 'no time'} to ${time(to) ?? 'no time'}`
      return verb === undefined
        ? fieldChange(field, from, to)
        : `${verb} ${fieldChange('from', from, to).slice(5)}`
    })
    .join(', ')
}

function fieldsText(fields: readonly ChangedField[]): string {
  return fields.map(({ field, before, now }) => fieldChange(field, asText(before), asText(now))).join(', ')
}

/** Text as it is, all else as JSON. */
function asText(value: ChangedField['now']): string | null {
  if (value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function mirrorText({ whole, fresh, age_ms, held, rejected, failing, unconfirmed }: DigestMirror): string {
  const age = age_ms === null ? 'it was never read well' : `the last good run began ${formatAge(age_ms)}`
  const faults = [
    held > 0 && `${formatCount(held, 'deletion')} held`,
    failing > 0 && `${formatCount(failing, 'list')} failing`,
    rejected > 0 && `${formatCount(rejected, 'item')} rejected`,
    unconfirmed > 0 && `${formatCount(unconfirmed, 'row')} unconfirmed`,
  ].filter((text) => text !== false)
  const state = whole ? 'The mirror is whole' : `The mirror is not whole: ${faults.join(', ')}`
  const end = whole && fresh ? '' : `. See ${commandName()} status`
  const but = whole === fresh ? ', and' : whole ? ', but' : ';'
  const text = `${state}${but} ${fresh ? '' : 'not fresh: '}${age}${end}${end === '' ? '.' : ''}`
  return `${wrapWords(text, { width: COLUMNS, hang: 0 })}\n`
}

type Clock = (instant: string) => string

/** `Sat 5 Dec 2026 19:30` on the clock of the zone; in UTC, and saying so, where Node does not know the zone. */
function clockOf(timeZone: string): Clock {
  const format = formatOf(timeZone) ?? formatOf('UTC')
  const suffix = formatOf(timeZone) === null || timeZone === 'UTC' ? ' UTC' : ''
  return (instant) => {
    const at = new Date(instant)
    if (Number.isNaN(at.getTime()) || format === null) return instant
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return `${parts['weekday']} ${parts['day']} ${parts['month']} ${parts['year']} ${parts['hour']}:${parts['minute']}${suffix}`
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
  } catch {
    return null
  }
}
