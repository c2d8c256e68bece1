import { html } from 'hono/html'
import type { AccountReport } from '../../../mirror/answers/report/document.ts'
import { formatDays } from '../../../common/text/format-duration.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatMonth, formatNumber } from '../formats.ts'
import { drawChanges } from './changes-part.ts'
import { drawEvents, drawUpcoming } from './events-part.ts'
import { drawMoney } from './money-part.ts'
import { drawPace, paceNote } from './pace-part.ts'
import { drawQuality } from './quality-part.ts'
import type { KeyFigure, Page, Section } from './page.ts'
import { drawThinSlots } from './slots-part.ts'
import { titleOf } from './text.ts'

export function accountPage(report: AccountReport, formats: Moments): Page {
  const { events } = report
  return {
    title: 'Event report',
    heading: html`Event report`,
    meta: `${formatCount(events.total, 'event')}, ${formatCount(events.sums.responses, 'response')}`,
    figures: figuresOf(report),
    sections: sectionsOf(report, formats),
  }
}

function figuresOf({ events: { sums }, thin_slots, money }: AccountReport): readonly KeyFigure[] {
  const [latest] = money.months
  return [
    { value: formatNumber(sums.upcoming), label: sums.upcoming === '1' ? 'event to come' : 'events to come' },
    { value: formatNumber(sums.expected), label: 'people expected at them' },
    { value: formatNumber(sums.new_7d), label: 'responses made in the last 7 days' },
    { value: formatNumber(thin_slots.total), label: 'slots of the next 56 days need people' },
    ...(latest === undefined
      ? []
      : [
          {
            value: formatMoney(latest.amount),
            label: `paid ${latest.month === null ? '' : 'in '}${formatMonth(latest.month)}, no currency given`,
          },
        ]),
  ]
}

/** The parts of the page of an account, the most important first. */
function sectionsOf(report: AccountReport, formats: Moments): readonly Section[] {
  const { events, thin_slots, pace, money } = report
  return [
    { id: 'next', title: 'Coming up', body: drawUpcoming(events, formats) },
    { id: 'slots', title: 'Slots that need people', body: drawThinSlots(thin_slots, true) },
    {
      id: 'pace',
      title: 'Pace of replies',
      body:
        pace.length === 0
          ? html`<p>No event to come has a response yet.</p>`
          : html`${paceNote}${pace.map((one, at) =>
              drawPace(
                one,
                `pace-${at + 1}`,
                formats,
                html`<h3>${titleOf(one.event)}, ${formatDays(one.event.days_until)}</h3>`,
              ),
            )}`,
    },
    { id: 'months', title: 'Money by month', body: drawMoney(money, report.made_at, formats.zone) },
    { id: 'events', title: 'All events', body: drawEvents(events, formats) },
    { id: 'changes', title: 'Changed this week', body: drawChanges(report, formats) },
    { id: 'quality', title: 'Data quality', body: drawQuality(report) },
  ]
}
