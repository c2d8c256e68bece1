import { html } from 'hono/html'
import type { ChangedField, DigestEvent, DigestResponse } from '../../mirror/answers/digest/digest.ts'
import type { ChangedPart, ReportDocument } from '../../mirror/answers/report/document.ts'
import { formatCount, formatMoney, formatNumber, type Formats } from '../formats.ts'
import { andMore } from './slots-part.ts'
import { textOf, titleOf, type Html } from './text.ts'

/** What became of events and responses in the last seven days; what touches most people first. */
export function drawChanges({ changes, with_personal, subject }: ReportDocument, formats: Formats): Html {
  const eventOf = (event: DigestEvent) =>
    event.event_at === null ? titleOf(event) : html`${titleOf(event)}, ${formats.moment(event.event_at)}`
  const responseOf = (response: DigestResponse) => {
    const who = whoOf(response, with_personal)
    return subject === 'event' ? who : html`${who}, ${titleOf(response)}`
  }
  const parts = [
    drawPart('No longer listed', changes.events_removed, (event) =>
      event.responses === '0'
        ? eventOf(event)
        : html`${eventOf(event)}, with ${formatCount(event.responses, 'response')}`,
    ),
    drawPart(
      'Events changed',
      changes.events_changed,
      (event) => html`${titleOf(event)}: ${fieldsOf(event.fields, formats)}`,
    ),
    drawPart('Announced', changes.events_announced, (event) =>
      event.returned ? html`${eventOf(event)}, listed again` : eventOf(event),
    ),
    drawPart('Withdrawn', changes.responses_withdrawn, responseOf),
    drawPart(
      'Changed',
      changes.responses_changed,
      (response) => html`${responseOf(response)}: ${fieldsOf(response.fields, formats)}`,
    ),
    drawPart('New', changes.responses_new, (response) => html`${responseOf(response)}${answerOf(response)}`),
  ].filter((part) => part !== '')
  const intro = `Since ${formats.moment(changes.since)}, from one reading to the next. What was there before the first reading is no news.`
  return html`<p class="muted">${intro}</p>
    ${parts.length === 0 ? html`<p>Nothing changed.</p>` : parts}`
}

function drawPart<Item>(
  heading: string,
  { total, items }: ChangedPart<Item>,
  draw: (item: Item) => Html,
): Html | '' {
  if (items.length === 0) return ''
  return html`<h3>${heading}: ${formatNumber(total)}</h3>
    <ul>
      ${items.map((item) => html`<li>${draw(item)}</li>`)}
    </ul>
    ${andMore(total, items.length)}`
}

function whoOf({ name, response_id }: DigestResponse, withPersonal: boolean): Html {
  return withPersonal && name !== null ? textOf(name, '(no name)') : html`response ${response_id}`
}

function answerOf({ rsvp, quantity, amount }: DigestResponse): Html | '' {
  const said = [
    ...(rsvp === null ? [] : [html`reply ${textOf(rsvp, '(empty)')}`]),
    ...(quantity === null ? [] : [html`quantity ${formatNumber(quantity)}`]),
    ...(amount === null ? [] : [html`amount ${formatMoney(amount)}`]),
  ]
  return said.length === 0 ? '' : html`: ${joined(said)}`
}

function joined(parts: readonly Html[]): readonly Html[] {
  return parts.map((part, at) => (at === 0 ? part : html`, ${part}`))
}

function fieldsOf(fields: readonly ChangedField[], formats: Formats): readonly Html[] {
  return joined(
    fields
      .filter(({ field }) => field !== 'updated_at')
      .map(({ field, before, now }) => {
        if (field === 'slots') return html`slots`
        const value = (changed: ChangedField['now']) => valueOf(field, changed, formats)
        return html`${textOf(field)} ${value(before)} → ${value(now)}`
      }),
  )
}

const times = ['event_at', 'created_at']

function valueOf(field: string, value: ChangedField['now'], formats: Formats): Html | string {
  if (value === null) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return times.includes(field) ? formats.moment(text) : textOf(text, '(empty)')
}
