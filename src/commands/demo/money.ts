import { formatNumber } from '../output/format/number.ts'
import { drawTable } from '../output/format/table.ts'
import type { Ask, Row } from './query.ts'
import { formatMonth } from './format-time.ts'
import type { DemoOutput } from './output.ts'

const byMonth = `select to_char(r.created_at, 'YYYY-MM') as month, count(*) as payments,
       sum(p.amount) as amount, sum(p.processing_fee) as fees
  from payments p
  join responses r on r.id = p.response_id
       and (r.account_id, r.event_id) = (p.account_id, p.event_id)
 where r.created_at >= date_trunc('month', now()) - interval '11 months'
 group by rollup (1) order by 1`

/** Payments of the last twelve months, with the part that the fees take. */
export async function showMoney(page: DemoOutput, ask: Ask): Promise<void> {
  await page.question('What came in, month by month, and what did the fees take?')
  await page.block(drawMonths(page, await ask(byMonth)))
  await page.sql(byMonth)
}

/** Columns that everything but the bar takes. */
const BESIDE_BAR = 46

/** The row without a month is the total, as `rollup` gives it. */
function drawMonths(page: DemoOutput, answer: readonly Row[]): string {
  const months = answer.filter(({ month }) => month !== undefined)
  const most = Math.max(...months.map(({ amount }) => Number(amount)))
  const total = (row: Row, text: string) => (row['month'] === undefined ? page.style('bold', text) : text)
  return drawTable(
    [
      { heading: 'month' },
      { heading: 'payments', align: 'right' },
      { heading: 'amount', align: 'right' },
      { heading: 'fees', align: 'right' },
      { heading: 'kept █  fees ▒' },
    ],
    answer.map((row) => [
      total(row, row['month'] === undefined ? 'total' : formatMonth(row['month'])),
      total(row, formatNumber(row['payments'] ?? '0')),
      total(row, formatMoney(row['amount'] ?? '')),
      total(row, formatMoney(row['fees'] ?? '')),
      row['month'] === undefined ? '' : drawMonth(page, row, most),
    ]),
    { width: page.width, styleHeading: (text) => page.style('dim', text) },
  )
}

function drawMonth(page: DemoOutput, row: Row, most: number): string {
  const cells = (value: number) => Math.max(1, Math.round((value / most) * (page.width - BESIDE_BAR)))
  const fees = cells(Number(row['fees']))
  const kept = Math.max(0, cells(Number(row['amount'])) - fees)
  return page.style('green', '█'.repeat(kept)) + page.style('yellow', '▒'.repeat(fees))
}

/** `12,345.60` of `12345.60`: as text, for money is exact. */
function formatMoney(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.')
}
