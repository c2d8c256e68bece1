import { formatNumber, moneyText } from '../../common/text/number.ts'
import { right } from '../output/format/table.ts'
import { monthText } from '../../common/text/moments.ts'
import type { DemoOutput, Query, Row } from './output.ts'

const byMonth = `select to_char(r.created_at, 'YYYY-MM') as month, count(*) as payments,
       sum(p.amount) as amount, sum(p.processing_fee) as fees
  from payments p
  join responses r on r.id = p.response_id
       and (r.account_id, r.event_id) = (p.account_id, p.event_id)
 where r.created_at >= date_trunc('month', now()) - interval '11 months'
 group by rollup (1) order by 1`

const columns = ['month', right('payments'), right('amount'), right('fees'), 'kept █  fees ▒']

/** Columns that everything but the bar takes. */
const BESIDE_BAR = 46

/** Payments of the last twelve months, with the part that the fees take. */
export async function showMoney(page: DemoOutput, query: Query): Promise<void> {
  await page.question('What came in, month by month, and what did the fees take?')
  const rows = await query(byMonth)
  const max = Math.max(...rows.flatMap((row) => (isTotal(row) ? [] : [Number(row['amount'])])))
  await page.table(
    columns,
    rows.map((row) => drawMonth(page, row, max)),
  )
  await page.sql(byMonth)
}

function drawMonth(page: DemoOutput, row: Row, max: number): string[] {
  const { month = '', payments = '', amount = '', fees = '' } = row
  const counts = [formatNumber(payments), moneyText(amount), moneyText(fees)]
  if (isTotal(row)) return ['total', ...counts].map((text) => page.style('bold', text))
  const cells = (value: string) => Math.max(1, Math.round((Number(value) / max) * (page.width - BESIDE_BAR)))
  const kept = Math.max(0, cells(amount) - cells(fees))
  const bar = page.style('green', '█'.repeat(kept)) + page.style('yellow', '▒'.repeat(cells(fees)))
  return [monthText(month), ...counts, bar]
}

/** The row without a month is the total, as `rollup` gives it. */
function isTotal(row: Row): boolean {
  return row['month'] === undefined
}
