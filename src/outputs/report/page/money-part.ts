import { html } from 'hono/html'
import type { ReportedMoney } from '../../../mirror/answers/report/document.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { drawColumns, type ChartColumn } from '../charts/column-chart.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatMoney, formatMonth, formatNumber } from '../formats.ts'
import { andMore, drawFigures } from './table.ts'
import type { Html } from './text.ts'

/** Months of the chart. */
const CHARTED = 24

/** What was paid in each month, as words, chart and table. @param zone in which the months are counted */
export function drawMoney({ months, sums }: ReportedMoney, madeAt: string, zone: string): Html {
  if (months.length === 0) return html`<p>No response has a payment.</p>`
  return html`<div class="whole">
      <p>
        ${formatCount(sums.payments, 'payment')}: ${formatMoney(sums.amount)},
        ${formatMoney(sums.amount_after_fee)} after fees of ${formatMoney(sums.processing_fee)}. The service
        names no currency and no time of payment: a payment counts in the month of its response.
      </p>
      ${drawColumns('Amount paid in each month; the table below has the figures', columnsOf(months, localDate(madeAt, zone)), 'amount (no currency is given)')}
    </div>
    ${drawFigures({
      id: 'money',
      caption: `What was paid, by month; the chart shows the last ${CHARTED} months at most`,
      columns: [
        { head: 'Month', kind: 'time', cell: ({ month }) => formatMonth(month) },
        { head: 'Payments', kind: 'number', cell: ({ payments }) => formatNumber(payments) },
        { head: 'Below zero', kind: 'number', cell: ({ negative }) => formatNumber(negative) },
        { head: 'Amount', kind: 'number', cell: ({ amount }) => formatMoney(amount) },
        { head: 'Fees', kind: 'number', cell: ({ processing_fee }) => formatMoney(processing_fee) },
        { head: 'After fees', kind: 'number', cell: ({ amount_after_fee }) => formatMoney(amount_after_fee) },
      ],
      rows: months,
    })}
    ${andMore(sums.months, months.length)}`
}

/** Month after month up to this one, from the first one with a payment on; those without one are empty. */
function columnsOf(months: readonly ViewRow<'payments_by_month'>[], now: Date): readonly ChartColumn[] {
  const amounts = new Map(months.map(({ month, amount }) => [month, amount]))
  const all = Array.from({ length: CHARTED }, (_, at) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - CHARTED + 1 + at)).toISOString().slice(0, 10),
  )
  const first = all.findIndex((month) => amounts.has(month))
  return all.slice(Math.max(0, Math.min(first, CHARTED - 3))).map((month) => {
    const amount = amounts.get(month) ?? null
    const [name = '', year = ''] = formatMonth(month).split(' ')
    return { key: month, value: amount === null ? null : Number(amount), label: [name, year] as const }
  })
}

/** The day there, as if it were one of UTC: Swedish dates are `2026-12-01`. */
function localDate(instant: string, timeZone: string): Date {
  return new Date(new Intl.DateTimeFormat('sv', { timeZone }).format(new Date(instant)))
}
