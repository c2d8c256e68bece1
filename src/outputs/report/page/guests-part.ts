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
      { head: 'Name', kind: 'title', cell: ({ name }) => textOf(name ?? '', '(no name)') },
      { head: 'E-mail', kind: 'text', cell: ({ email }) => (email === null ? '–' : textOf(email, '–')) },
      { head: 'Reply', kind: 'text', cell: replyOf },
      { head: 'Expected', kind: 'number', cell: ({ expected }) => formatNumber(expected) },
      { head: 'Amount', kind: 'number', cell: ({ amount }) => formatMoney(amount) },
      { head: 'Slots', kind: 'number', cell: ({ slots }) => (slots === '0' ? '–' : formatNumber(slots)) },
    ],
    rows: respondents.rows,
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
