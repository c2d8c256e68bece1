import { html } from 'hono/html'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import type { EventReport } from '../../../mirror/answers/report/document.ts'
import { formatDays } from '../../../common/text/format-duration.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatNumber } from '../formats.ts'
import { drawChanges } from './changes-part.ts'
import { drawGuests } from './guests-part.ts'
import { drawPace, paceNote } from './pace-part.ts'
import { drawLimits } from './quality-part.ts'
import type { KeyFigure, Page, Section } from './page.ts'
import { drawSlots, drawThinSlots } from './slots-part.ts'
import { drawTable } from './table.ts'
import { plainTitle, titleOf, type Html } from './text.ts'

export function eventPage(report: EventReport, formats: Moments): Page {
  const { summary } = report
  const days = summary.days_until === null ? 'no time' : formatDays(summary.days_until)
  return {
    title: plainTitle(summary),
    heading: titleOf(summary),
    meta: summary.event_at === null ? days : `${formats.moment(summary.event_at)}, ${days}`,
    figures: figuresOf(report),
    sections: sectionsOf(report, formats),
  }
}

function figuresOf({ summary, payments }: EventReport): readonly KeyFigure[] {
  return [
    {
      value: formatNumber(summary.expected),
      label: summary.expected === '1' ? 'person expected' : 'people expected',
    },
    { value: formatNumber(summary.maybe), label: 'more say maybe' },
    { value: formatNumber(summary.responses), label: summary.responses === '1' ? 'response' : 'responses' },
    { value: formatNumber(summary.new_7d), label: 'made in the last 7 days' },
    ...(payments === null ? [] : [{ value: formatMoney(payments.amount), label: 'paid, no currency given' }]),
  ]
}

/** The parts of the page of an event, the most important first. */
function sectionsOf(report: EventReport, formats: Moments): readonly Section[] {
  const { summary, pace, payments, slots, thin_slots } = report
  const emptied = thin_slots.rows.some(({ emptied_at }) => emptied_at !== null)
  return [
    { id: 'comes', title: 'Who comes', body: html`${drawReplies(summary)}${drawGuests(report)}` },
    {
      id: 'pace',
      title: 'Pace of replies',
      body:
        pace === null
          ? html`<p>There is no pace without a time of the event and a response.</p>`
          : html`${paceNote}${drawPace(pace, 'pace-1', formats)}`,
    },
    {
      id: 'slots-part',
      title: 'Slots',
      body: html`${drawSlots(slots)}${thin_slots.rows.length === 0 || (slots.rows.length === 0 && !emptied) ? '' : drawThinSlots(thin_slots, false)}`,
    },
    ...(payments === null ? [] : [{ id: 'payments', title: 'Payments', body: drawPayments(payments) }]),
    { id: 'changes', title: 'Changed this week', body: drawChanges(report, formats) },
    {
      id: 'limits',
      title: 'What the data cannot tell',
      body: html`${drawNotes(summary)}${drawLimits(report.time_zone)}`,
    },
  ]
}

function drawReplies(summary: ViewRow<'event_summary'>): Html {
  const { coming, maybe, unknown, not_coming, sign_ups } = summary
  return drawTable<readonly string[]>({
    id: 'replies',
    caption: 'What the replies say. Expected counts each person once, by reply, payment or sign-up',
    columns: [
      { head: 'Say', kind: 'title', cell: ([meaning = '']) => meaning },
      { head: 'Count', kind: 'number', cell: ([, count = '']) => count },
      { head: 'Of', kind: 'text', cell: ([, , of = '']) => of },
    ],
    rows: [
      ['Coming', formatNumber(coming), 'people'],
      ['Maybe', formatNumber(maybe), 'people'],
      ['Not coming', formatNumber(not_coming), 'replies'],
      ...(unknown === '0' ? [] : [['Something without a meaning', formatNumber(unknown), 'people']]),
      ...(sign_ups === '0' ? [] : [['Signed up for a slot', formatNumber(sign_ups), 'responses']]),
    ],
  })
}

function drawPayments(payments: ViewRow<'payment_summary'>): Html {
  return drawTable<readonly string[]>({
    id: 'payments-table',
    caption: 'What was paid; the service names no currency',
    columns: [
      { head: 'What', kind: 'title', cell: ([what = '']) => what },
      { head: 'Sum', kind: 'number', cell: ([, sum = '']) => sum },
    ],
    rows: [
      ['Payments', formatNumber(payments.payments)],
      ['Persons who paid', formatNumber(payments.payers)],
      ['Without an amount', formatNumber(payments.without_amount)],
      ['Below zero (refunds)', formatNumber(payments.negative)],
      ['Amount', formatMoney(payments.amount)],
      ['Fees', formatMoney(payments.processing_fee)],
      ['After fees', formatMoney(payments.amount_after_fee)],
      ['Smallest amount', formatMoney(payments.smallest_amount)],
      ['Largest amount', formatMoney(payments.largest_amount)],
    ],
  })
}

function drawNotes({ complete, without_email }: ViewRow<'event_summary'>): Html {
  return html`${complete ? '' : html`<p class="lacks">The list of this event is not whole: something is held back, cannot be stored, or could not be read.</p>`}
  ${without_email === '0' ? '' : html`<p>${formatCount(without_email, 'response has', 'responses have')} no e-mail address: each counts as a person of its own.</p>`}`
}
