import { html } from 'hono/html'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import type { EventReport } from '../../../mirror/answers/report/document.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatNumber } from '../formats.ts'
import { andMore, drawTable } from './table.ts'
import { textOf, type Html } from './text.ts'

/** Who answered, those who are expected first. */
export function drawGuests({ respondents, forgotten_at }: EventReport): Html {
  if (respondents === null) return html`<p>This page is without names and addresses.</p>`
  if (respondents.rows.length === 0) return html`<p>Nobody has answered yet.</p>`
  return html`${forgotten_at === null ? '' : html`<p>Names, addresses and messages were forgotten on ${forgotten_at.slice(0, 10)}.</p>`}
  ${drawTable({
    id: 'guests',
    caption: `${formatCount(respondents.total, 'person', 'persons')} who answered: those who are expected first, then by name`,
    find: 'Find a person',
    columns: [
      { head: 'Name', kind: 'title' },
      { head: 'E-mail', kind: 'text' },
      { head: 'Reply', kind: 'text' },
      { head: 'Expected', kind: 'number' },
      { head: 'Amount', kind: 'number' },
      { head: 'Slots', kind: 'number' },
    ],
    rows: respondents.rows.map((person) => [
      person.name === null ? html`<span class="muted">(no name)</span>` : textOf(person.name, '(no name)'),
      person.email === null ? '–' : textOf(person.email, '–'),
      replyOf(person),
      formatNumber(person.expected),
      formatMoney(person.amount),
      person.slots === '0' ? '–' : formatNumber(person.slots),
    ]),
  })}${andMore(respondents.total, respondents.rows.length)}`
}

const replies: Readonly<Record<string, string>> = {
  coming: 'coming',
  maybe: 'maybe',
  not_coming: 'not coming',
  unknown: 'no meaning',
}

function replyOf({ meaning }: ViewRow<'event_respondents'>): string {
  return meaning === null ? '–' : (replies[meaning] ?? meaning)
}
