import { html } from 'hono/html'
import type {
  ChangedField,
  ChangedPart,
  DigestEvent,
  DigestResponse,
  NewResponse,
} from '../../../mirror/answers/digest/digest.ts'
import type { ReportDocument } from '../../../mirror/answers/report/document.ts'
import { quoteForShell } from '../../../common/command-name.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { eventVerb, inFieldOrder } from '../../../common/text/field-change.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatNumber } from '../formats.ts'
import { bothValues } from './changed-values.ts'
import { andMore } from './table.ts'
import { textOf, titleOf, type Html } from './text.ts'

/** What became of events and responses in the last seven days; what touches most people first. */
export function drawChanges(report: ReportDocument, formats: Moments): Html {
  const { changes, with_personal, subject } = report
  const eventOf = (event: DigestEvent) =>
    event.event_at === null ? titleOf(event) : html`${titleOf(event)}, ${formats.moment(event.event_at)}`
  const responseOf = (response: DigestResponse) => {
    const who = whoOf(response, with_personal)
    return subject === 'event' ? who : html`${who}, ${titleOf(response)}`
  }
  const command = commandOf(report)
  const part = <Item>(heading: string, changed: ChangedPart<Item>, draw: (item: Item) => Html) =>
    drawPart(heading, changed, command, draw)
  const parts = [
    part('No longer listed', changes.events_removed, (event) =>
      event.responses === '0'
        ? eventOf(event)
        : html`${eventOf(event)}, with ${formatCount(event.responses, 'response')}`,
    ),
    part(
      'Events changed',
      changes.events_changed,
      (event) => html`${titleOf(event)}: ${eventFieldsOf(event.fields, formats)}`,
    ),
    part('Announced', changes.events_announced, (event) =>
      event.returned ? html`${eventOf(event)}, listed again` : eventOf(event),
    ),
    part('Withdrawn', changes.responses_withdrawn, responseOf),
    part(
      'Changed',
      changes.responses_changed,
      (response) => html`${responseOf(response)}: ${fieldsOf(response.fields, formats)}`,
    ),
    part('New', changes.responses_new, (response) => html`${responseOf(response)}${answerOf(response)}`),
  ].filter((part) => part !== '')
  const intro = `Since ${formats.moment(changes.since)}, from one reading to the next. What was there before the first reading is no news.`
  return html`<p class="muted">${intro}</p>
    ${parts.length === 0 ? html`<p>Nothing changed.</p>` : parts}`
}

function drawPart<Item>(
  heading: string,
  { total, items }: ChangedPart<Item>,
  command: string,
  draw: (item: Item) => Html,
): Html | '' {
  if (items.length === 0) return ''
  return html`<h3>${heading}: ${formatNumber(total)}</h3>
    <ul>
      ${items.map((item) => html`<li>${draw(item)}</li>`)}
    </ul>
    ${andMore(total, items.length, command)}`
}

/** Rows that the command shows at most: it tells each step, so they are more than the items here. */
const LISTED = '1000'

/** What lists all of them. The file is read elsewhere: the command has its plain name there. */
function commandOf(report: ReportDocument): string {
  const word = (text: string) => quoteForShell(stripControlCharsInLine(text))
  const event = report.subject === 'event' ? ` --event ${word(report.summary.event_id)}` : ''
  const { account, changes } = report
  return `headcount changes --account ${word(account)} --since ${word(changes.since)}${event} --limit ${LISTED}`
}

function whoOf({ name, response_id }: DigestResponse, withPersonal: boolean): Html {
  return withPersonal && name !== null ? textOf(name, '(no name)') : html`response ${response_id}`
}

function answerOf({ rsvp, quantity, amount, returned }: NewResponse): Html | '' {
  const said = [
    ...(rsvp === null ? [] : [html`reply ${textOf(rsvp, '(empty)')}`]),
    ...(quantity === null ? [] : [html`quantity ${formatNumber(quantity)}`]),
    ...(amount === null ? [] : [html`amount ${formatMoney(amount)}`]),
    ...(returned ? [html`there again`] : []),
  ]
  return said.length === 0 ? '' : html`: ${joined(said)}`
}

function joined(parts: readonly Html[]): readonly Html[] {
  return parts.map((part, at) => (at === 0 ? part : html`, ${part}`))
}

/** Of an event that moved: `moved from … to …`, as a digest says it. */
function eventFieldsOf(fields: readonly ChangedField[], formats: Moments): readonly Html[] {
  return joined(
    inFieldOrder(fields).map((changed) => {
      const [before, now] = bothValues(changed, formats)
      if (changed.is_withheld) return textOf(changed.field)
      const verb = eventVerb(changed.field)
      if (changed.field === 'event_at')
        return html`${verb ?? ''} from ${before ?? 'no time'} to ${now ?? 'no time'}`
      return html`${verb ?? textOf(changed.field)} ${before ?? '–'} → ${now ?? '–'}`
    }),
  )
}

function fieldsOf(fields: readonly ChangedField[], formats: Moments): readonly Html[] {
  return joined(
    inFieldOrder(fields).map((changed) => {
      if (changed.field === 'slots') return html`slots`
      if (changed.is_withheld) return textOf(changed.field)
      const [before, now] = bothValues(changed, formats)
      return html`${textOf(changed.field)} ${before ?? '–'} → ${now ?? '–'}`
    }),
  )
}
