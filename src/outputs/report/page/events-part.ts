import { html } from 'hono/html'
import type { ListedEvent } from '../../../mirror/answers/events.ts'
import type { ReportedEvents } from '../../../mirror/answers/report/document.ts'
import { formatDays } from '../../../common/text/format-duration.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatNumber } from '../formats.ts'
import { drawBar, drawTable } from './table.ts'
import { titleOf, type Html } from './text.ts'

/** Events at the top; the table has all. */
const NEXT = 10

function isUpcoming({ days_until }: ListedEvent): boolean {
  return days_until === null || days_until >= 0
}

/** The next events, with the people to expect. */
export function drawUpcoming({ rows, sums }: ReportedEvents, formats: Moments): Html {
  const next = rows.filter(isUpcoming).slice(0, NEXT)
  if (next.length === 0) return html`<p>No event is to come.</p>`
  const most = Math.max(...next.map(({ expected }) => Number(expected)))
  const more = Number(sums.upcoming) - next.length
  return html`${drawTable({
    id: 'upcoming',
    caption: 'The next events, with the people to expect: each person once, by reply, payment or sign-up',
    columns: [
      { head: 'Event', kind: 'title' },
      { head: '', kind: 'bar' },
      { head: 'Expected', kind: 'number' },
      { head: 'Maybe', kind: 'number' },
      { head: 'Thin slots', kind: 'number' },
      { head: 'New in 7 days', kind: 'number' },
    ],
    rows: next.map((event) => [
      html`${titleOf(event)}<span class="muted">${whenOf(event, formats)}</span>`,
      drawBar(Number(event.expected), most),
      html`<b>${formatNumber(event.expected)}</b>`,
      formatNumber(event.maybe),
      thinOf(event),
      formatNumber(event.new_7d),
    ]),
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
      { head: 'Event', kind: 'title' },
      { head: 'When', kind: 'time' },
      { head: 'Expected', kind: 'number' },
      { head: 'Maybe', kind: 'number' },
      { head: 'Responses', kind: 'number' },
      { head: 'Amount', kind: 'number' },
      { head: 'Thin slots', kind: 'number' },
    ],
    rows: rows.map((event) => [
      titleOf(event),
      timeOf(event, formats),
      formatNumber(event.expected),
      formatNumber(event.maybe),
      formatNumber(event.responses),
      formatMoney(event.amount),
      thinOf(event),
    ]),
  })
}

function timeOf({ event_at }: ListedEvent, formats: Moments): Html | string {
  return event_at === null ? 'no time' : html`<time datetime="${event_at}">${formats.moment(event_at)}</time>`
}

function whenOf(event: ListedEvent, formats: Moments): readonly (Html | string)[] {
  const { days_until } = event
  return [timeOf(event, formats), days_until === null ? '' : `, ${formatDays(days_until)}`]
}

function thinOf({ thin_slots }: ListedEvent): Html | string {
  return thin_slots === '0' ? '–' : html`<span class="lacks">${formatNumber(thin_slots)}</span>`
}
