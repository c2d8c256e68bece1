import { html } from 'hono/html'
import type { ListedEvent } from '../../../mirror/answers/events.ts'
import type { ReportedEvents } from '../../../mirror/answers/report/document.ts'
import { formatDays } from '../../../common/text/format-duration.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatNumber } from '../formats.ts'
import { drawBar, drawTable, type Cell, type PageColumn } from './table.ts'
import { titleOf, type Html } from './text.ts'

/** Events at the top; the table has all. */
const NEXT = 10

const maybeColumn: PageColumn<ListedEvent> = {
  head: 'Maybe',
  kind: 'number',
  cell: ({ maybe }) => formatNumber(maybe),
}

const thinColumn: PageColumn<ListedEvent> = {
  head: 'Thin slots',
  kind: 'number',
  cell: ({ thin_slots }) =>
    thin_slots === '0' ? '–' : html`<span class="lacks">${formatNumber(thin_slots)}</span>`,
}

/** The next events, with the people to expect. */
export function drawUpcoming({ rows, sums }: ReportedEvents, formats: Moments): Html {
  const next = rows.filter(({ days_until }) => days_until === null || days_until >= 0).slice(0, NEXT)
  if (next.length === 0) return html`<p>No event is to come.</p>`
  const most = Math.max(...next.map(({ expected }) => Number(expected)))
  const more = Number(sums.upcoming) - next.length
  return html`${drawTable({
    id: 'upcoming',
    caption: 'The next events, with the people to expect: each person once, by reply, payment or sign-up',
    columns: [
      {
        head: 'Event',
        kind: 'title',
        cell: (event) => html`${titleOf(event)}<span class="muted">${whenOf(event, formats)}</span>`,
      },
      { head: '', kind: 'bar', cell: ({ expected }) => drawBar(Number(expected), most) },
      { head: 'Expected', kind: 'number', cell: ({ expected }) => html`<b>${formatNumber(expected)}</b>` },
      maybeColumn,
      thinColumn,
      { head: 'New in 7 days', kind: 'number', cell: ({ new_7d }) => formatNumber(new_7d) },
    ],
    rows: next,
  })}${more > 0 ? html`<p class="muted">and ${formatCount(more, 'more event')}, in the table of <a href="#events">all events</a></p>` : ''}`
}

/** All events, to sort and to search. */
export function drawEvents({ rows, total }: ReportedEvents, formats: Moments): Html {
  if (rows.length === 0) return html`<p>The account has no events yet.</p>`
  const left = BigInt(total) - BigInt(rows.length)
  return drawTable({
    id: 'events-table',
    caption: `${formatCount(rows.length, 'event')}: those to come first, then those that are over, the latest first${left > 0n ? `. ${formatNumber(String(left))} more are further away` : ''}`,
    find: 'Find an event',
    columns: [
      { head: 'Event', kind: 'title', cell: titleOf },
      { head: 'When', kind: 'time', cell: (event) => timeOf(event, formats) },
      { head: 'Expected', kind: 'number', cell: ({ expected }) => formatNumber(expected) },
      maybeColumn,
      { head: 'Responses', kind: 'number', cell: ({ responses }) => formatNumber(responses) },
      { head: 'Amount', kind: 'number', cell: ({ amount }) => formatMoney(amount) },
      thinColumn,
    ],
    rows,
  })
}

function timeOf({ event_at }: ListedEvent, formats: Moments): Cell {
  return event_at === null ? 'no time' : html`<time datetime="${event_at}">${formats.moment(event_at)}</time>`
}

function whenOf(event: ListedEvent, formats: Moments): readonly Cell[] {
  const { days_until } = event
  return [timeOf(event, formats), days_until === null ? '' : `, ${formatDays(days_until)}`]
}
