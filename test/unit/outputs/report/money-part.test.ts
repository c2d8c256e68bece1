/** The chart of what was paid: its months are those of the account. */
import { expect, test } from 'vitest'
import type { ReportedMoney } from '../../../../src/mirror/answers/report/document.ts'
import { pageText } from '../../../../src/outputs/export/html-page.ts'
import { drawMoney } from '../../../../src/outputs/report/page/money-part.ts'

const monthOf = (month: string) => ({
  account_id: 1,
  account: 'default',
  month,
  events: '1',
  payments: '1',
  without_amount: '0',
  negative: '0',
  amount: '12.50',
  processing_fee: '0',
  amount_after_fee: '12.50',
})

const sums = { months: '2', payments: '2', amount: '25.00', processing_fee: '0', amount_after_fee: '25.00' }

/** The labels of the months below the chart, the first time that it is drawn. */
function chartedMonths(months: ReportedMoney['months'], madeAt: string, zone: string): readonly string[] {
  const [, chart = ''] = pageText(drawMoney({ months, sums }, madeAt, zone)).split('<svg')
  return [...chart.matchAll(/>([A-Z][a-z]{2})</g)].map(([, label = '']) => label)
}

test.each([
  [
    'is that of the account where it begins earlier',
    '2026-11-30T13:00:00Z',
    'Pacific/Auckland',
    '2026-12-01',
    'Dec',
  ],
  [
    'is that of the account where it begins later',
    '2026-12-01T03:00:00Z',
    'America/New_York',
    '2026-11-01',
    'Nov',
  ],
  ['is that of the day', '2026-11-15T12:00:00Z', 'UTC', '2026-11-01', 'Nov'],
])('the last month of the chart %s', (_, madeAt, zone, month, label) => {
  expect(chartedMonths([month, '2026-10-01'].map(monthOf), madeAt, zone).at(-1)).toBe(label)
})
