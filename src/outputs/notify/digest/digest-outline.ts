/** A digest of one account in the order in which it is told. */
import { commandName } from '../../../common/command-name.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { asText, eventVerb, fieldChange, inFieldOrder } from '../../../common/text/field-change.ts'
import { shorten } from '../../../common/text/fit-text.ts'
import { formatAge } from '../../../common/text/format-duration.ts'
import { formatCount, formatNumber, moneyText } from '../../../common/text/number.ts'
import { clockIn, wallClockText } from '../../../common/text/moments.ts'
import {
  NEAR_DAYS,
  type AccountDigest,
  type ChangedField,
  type DigestEvent,
  type DigestMirror,
  type DigestMoney,
  type DigestPart,
  type DigestResponse,
  type MoneyChange,
  type NewResponse,
} from '../../../mirror/answers/digest/digest.ts'
import type { Outline, OutlinePart } from '../outline/outline.ts'

/** A moment as people read it. */
type Clock = ReturnType<typeof clockIn>

const MAX_NAME_COLUMNS = 40
const MAX_TITLE_COLUMNS = 60
/** Of one reply or event: a chat refuses a message with an endless text, and would never hear what came since. */
const MAX_DETAILS_COLUMNS = 500

export function digestOutline(digest: AccountDigest): Outline {
  const clock = clockIn(digest.time_zone)
  const parts = [
    part('No longer listed', digest.events_removed, (event) =>
      event.responses === '0'
        ? eventText(event, clock)
        : `${eventText(event, clock)}, with ${formatCount(event.responses, 'response')}`,
    ),
    part(
      'Events changed',
      digest.events_changed,
      (event) => `${titleOf(event)}: ${shorten(eventFields(event.fields, clock), MAX_DETAILS_COLUMNS)}`,
    ),
    part('Announced', digest.events_announced, (event) =>
      event.returned ? `${eventText(event, clock)}, listed again` : eventText(event, clock),
    ),
    responsesPart('Withdrawn', digest.responses_withdrawn, () => ''),
    responsesPart('Changed', digest.responses_changed, ({ fields }) => fieldsText(fields)),
    responsesPart('New', digest.responses_new, answerOf),
    moneyPart(digest.money),
    part(`Slots of the next ${NEAR_DAYS} days that need people`, digest.thin_slots, slotText),
  ].filter((one) => one !== null)
  const first = beginning(digest)
  const isPruned = digest.pruned_until !== null
  const lead = [
    ...(digest.pruned_until === null ? [] : [prunedText(clock(digest.pruned_until))]),
    ...(first !== null
      ? [first]
      : parts.length > 0
        ? []
        : [isPruned ? 'Nothing else is new.' : 'Nothing new.']),
  ]
  return { title: headingOf(digest, clock), lead, parts, end: [mirrorText(digest.mirror)] }
}

function headingOf({ account, since, after_run_id, is_first }: AccountDigest, clock: Clock): string {
  const from = since === null ? 'the beginning' : clock(since)
  const run = since === null || after_run_id === null ? '' : ` (run ${after_run_id})`
  return stripControlCharsInLine(`${account}: ${is_first ? 'from' : 'since'} ${from}${run}`)
}

/** @param until a moment, for people */
const prunedText = (until: string) =>
  `History was pruned since: what changed before ${until} is not all told.`

function beginning({ begins, first_readings, is_first }: AccountDigest): string | null {
  if (is_first) return 'This is the first digest: from now on it tells what changes.'
  if (!begins) return null
  const there =
    first_readings === '0' ? '' : ` ${formatCount(first_readings, 'item')} there before are no news.`
  return `This account was read for the first time. From now on a digest tells what changes.${there}`
}

/** A heading with the number, a line for each item, and how to see the rest. Null without items. */
function part<Item>(
  heading: string,
  { total, items, query }: DigestPart<Item>,
  describe: (item: Item) => string,
): OutlinePart | null {
  if (items.length === 0) return null
  return {
    heading: `${heading}: ${formatNumber(total)}`,
    items: items.map((item) => stripControlCharsInLine(describe(item))),
    rest: restOf(total, items.length, query),
  }
}

/** A line for each event with its people, so that a busy day stays short. */
function responsesPart<Response extends DigestResponse>(
  heading: string,
  { items, ...inShort }: DigestPart<Response>,
  describe: (response: Response) => string,
): OutlinePart | null {
  const byEvent = Map.groupBy(items, ({ event_id }) => event_id)
  const lines = [...byEvent.values()].map((responses) => {
    const people = responses.flatMap((response) => personText(response, describe(response)) ?? [])
    const others = responses.length - people.length
    const counted =
      others === 0 ? [] : [formatCount(String(others), people.length === 0 ? 'response' : 'other')]
    return [...responses.slice(0, 1).map(titleOf), [...people, ...counted].join(', ')].join(': ')
  })
  const found = part(heading, { ...inShort, items }, () => '')
  return found === null ? null : { ...found, items: lines.map(stripControlCharsInLine) }
}

/** `Ada (rsvp yes → no)`. Null without a name and anything to say: such responses are counted. */
function personText({ name }: DigestResponse, details: string): string | null {
  const shown = name ? shorten(name, MAX_NAME_COLUMNS) : null
  if (details === '') return shown
  return `${shown ?? 'response'} (${shorten(details, MAX_DETAILS_COLUMNS)})`
}

function restOf(total: string, shown: number, query: string): OutlinePart['rest'] {
  const more = BigInt(total) - BigInt(shown)
  if (more <= 0n) return null
  return {
    count: `and ${formatNumber(String(more))} more`,
    command: `${commandName()} query ${stripControlCharsInLine(inShell(query))}`,
  }
}

/** A text as one word of a shell. What would be code within double quotes stands in single ones. */
function inShell(text: string): string {
  return /["$\\`!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`
}

function moneyPart(money: DigestMoney): OutlinePart | null {
  const [first] = money.items
  if (first === undefined) return null
  const whole = `Money: ${moneyChange(money)}`
  if (money.total === '1')
    return { heading: stripControlCharsInLine(`${whole}, ${titleOf(first)}`), items: [], rest: null }
  return {
    heading: whole,
    items: money.items.map((event) => stripControlCharsInLine(`${titleOf(event)}: ${moneyChange(event)}`)),
    rest: restOf(money.total, money.items.length, money.query),
  }
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
  const name = shorten(slot.slot_name ?? 'slot', MAX_TITLE_COLUMNS)
  return `${wallClockText(slot.start_local)} ${name}, ${titleOf(slot)}: ${wanted}${slot.emptied_at === null ? '' : ', emptied'}`
}

function titleOf(event: Pick<DigestEvent, 'event_id' | 'event_title'>): string {
  return shorten(event.event_title || event.event_id, MAX_TITLE_COLUMNS)
}

function eventText(event: DigestEvent, clock: Clock): string {
  return event.event_at === null ? titleOf(event) : `${titleOf(event)}, ${clock(event.event_at)}`
}

function answerOf({ rsvp, quantity, amount, returned }: NewResponse): string {
  const said = [
    rsvp !== null && `rsvp ${shorten(rsvp, MAX_NAME_COLUMNS)}`,
    quantity !== null && `quantity ${formatNumber(quantity)}`,
    amount !== null && `amount ${moneyText(amount)}`,
    returned && 'there again',
  ].filter((text) => text !== false)
  return said.join(', ')
}

function eventFields(fields: readonly ChangedField[], clock: Clock): string {
  const time = (value: string | null) => (value === null ? null : clock(value))
  return fields
    .map(({ field, before, now, is_withheld }) => {
      if (is_withheld) return field
      const [from, to] = [asText(before), asText(now)]
      const verb = eventVerb(field)
      if (field === 'event_at') return `${verb} from ${time(from) ?? 'no time'} to ${time(to) ?? 'no time'}`
      return verb === undefined
        ? fieldChange(field, from, to)
        : `${verb} ${fieldChange('from', from, to).slice(5)}`
    })
    .join(', ')
}

function fieldsText(fields: readonly ChangedField[]): string {
  return inFieldOrder(fields)
    .map(({ field, before, now, is_withheld }) =>
      is_withheld ? field : fieldChange(field, asText(before), asText(now)),
    )
    .join(', ')
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
  return `${state}${but} ${fresh ? '' : 'not fresh: '}${age}${end}${end === '' ? '.' : ''}`
}
