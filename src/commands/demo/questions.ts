/** The questions of the demo, each with its answer and its statement. */
import { drawBar } from '../output/format/bar.ts'
import { formatAge } from '../../common/text/format-duration.ts'
import { momentText, monthText, wallClockText } from '../../common/text/moments.ts'
import { formatNumber, moneyText } from '../../common/text/number.ts'
import { right, text } from '../output/format/table.ts'
import type { Style } from '../terminal/terminal.ts'
import { day, hour, minute } from './account/calendar.ts'
import type { DemoOutput, Query, Row } from './output.ts'

export async function askQuestions(page: DemoOutput, query: Query): Promise<void> {
  await page.question('Who comes to the next event?')
  await page.block(drawHeads(page, await query(heads)))
  await page.sql(heads)
  await page.question('Who answered last, and what did they write?')
  await page.table(newestColumns, (await query(newest)).map(newestCells))
  await page.sql(newest)
  await page.question('What came in, month by month, and what did the fees take?')
  const months = await query(byMonth)
  const max = Math.max(...months.flatMap((row) => (isTotal(row) ? [] : [Number(row['amount'])])))
  await page.table(
    monthColumns,
    months.map((row) => drawMonth(page, row, max)),
  )
  await page.sql(byMonth)
  await page.question('Where are hands still missing in the next eight weeks?')
  await page.table(
    slotColumns,
    (await query(fewestSignUps)).map((row) => slotCells(page, row)),
  )
  await page.sql(fewestSignUps)
}

// A "no" has the quantity 0, and stands for one person all the same.
const heads = `select event_title, event_at, rsvp, sum(greatest(quantity, 1)) as heads
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 group by event_title, event_at, rsvp`

const replies: readonly (readonly [rsvp: string, Style])[] = [
  ['yes', 'green'],
  ['maybe', 'yellow'],
  ['no', 'red'],
]

/** Columns that the reply and the number take. */
const BESIDE_HEADS = 14

/** Heads by reply for the next event. */
function drawHeads(page: DemoOutput, rows: readonly Row[]): string {
  const { event_title = '', event_at = '' } = rows[0] ?? {}
  const count = (rsvp: string) => Number(rows.find((row) => row['rsvp'] === rsvp)?.['heads'] ?? 0)
  const max = Math.max(...replies.map(([rsvp]) => count(rsvp)))
  const lines = replies.map(([rsvp, style]) => {
    const bar = drawBar(count(rsvp), max, page.width - BESIDE_HEADS)
    return `${rsvp.padEnd(5)}  ${formatNumber(count(rsvp)).padStart(5)}  ${page.style(style, bar)}`
  })
  return [`${event_title}, ${momentText(event_at)}`, '', ...lines].join('\n')
}

const newest = `select name, rsvp, quantity, message, created_at
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 order by created_at desc limit 6`

const newestColumns = ['when', 'rsvp', right('heads'), text('name'), text('message')]

/** Without this mark a terminal that turns Arabic and Hebrew around makes one run of a name and the message after it. */
const LEFT_TO_RIGHT = '\u200e'

function newestCells({ created_at = '', rsvp = '', quantity = '', name = '', message = '' }: Row): string[] {
  return [formatShortAge(created_at, Date.now()), rsvp, quantity, name + LEFT_TO_RIGHT, message]
}

/** `52 min ago`, `3 h ago`, `2 d ago`. */
export function formatShortAge(timestamp: string, now: number): string {
  const ms = now - Date.parse(timestamp)
  const unit = ms >= day ? day : ms >= hour ? hour : minute
  return formatAge(Math.floor(ms / unit) * unit)
}

const byMonth = `select to_char(r.created_at, 'YYYY-MM') as month, count(*) as payments,
       sum(p.amount) as amount, sum(p.processing_fee) as fees
  from payments p
  join responses r on r.id = p.response_id
       and (r.account_id, r.event_id) = (p.account_id, p.event_id)
 where r.created_at >= date_trunc('month', now()) - interval '11 months'
 group by rollup (1) order by 1`

const monthColumns = ['month', right('payments'), right('amount'), right('fees'), 'kept █  fees ▒']

/** Columns that everything but the bar takes. */
const BESIDE_MONTH = 46

/** Payments of a month, with the part that the fees take. */
function drawMonth(page: DemoOutput, row: Row, max: number): string[] {
  const { month = '', payments = '', amount = '', fees = '' } = row
  const counts = [formatNumber(payments), moneyText(amount), moneyText(fees)]
  if (isTotal(row)) return ['total', ...counts].map((text) => page.style('bold', text))
  const room = page.width - BESIDE_MONTH
  const cells = (value: string) => Math.max(1, Math.round((Number(value) / max) * room))
  const kept = Math.max(0, cells(amount) - cells(fees))
  const bar = page.style('green', '█'.repeat(kept)) + page.style('yellow', '▒'.repeat(cells(fees)))
  return [monthText(month), ...counts, bar]
}

/** The row without a month is the total, as `rollup` gives it. */
function isTotal(row: Row): boolean {
  return row['month'] === undefined
}

/** A slot that nobody took is not in any response. */
const fewestSignUps = `select s.start_local, e.title, s.name as slot, count(*) as sign_ups
  from slots s
  join events e on e.account_id = s.account_id and e.id = s.event_id
 where s.start_date between now() and now() + interval '8 weeks'
 group by s.start_local, e.title, s.name
 order by sign_ups, s.start_local limit 8`

const slotColumns = ['local time', text('event'), text('slot'), 'sign-ups']

const MAX_DOTS = 12

function slotCells(page: DemoOutput, { start_local = '', title = '', slot = '', sign_ups }: Row): string[] {
  const dots = '●'.repeat(Math.min(Number(sign_ups), MAX_DOTS))
  return [wallClockText(start_local), title, slot, page.style(sign_ups === '1' ? 'red' : 'yellow', dots)]
}
