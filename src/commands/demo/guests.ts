import { drawBar } from '../output/format/bar.ts'
import { formatNumber } from '../../common/text/number.ts'
import { right, text } from '../output/format/table.ts'
import type { Style } from '../terminal/terminal.ts'
import { momentText } from '../../common/text/moments.ts'
import { formatShortAge } from './short-age.ts'
import type { DemoOutput, Query, Row } from './output.ts'

// A "no" has the quantity 0, and stands for one person all the same.
const heads = `select event_title, event_at, rsvp, sum(greatest(quantity, 1)) as heads
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 group by event_title, event_at, rsvp`

const newest = `select name, rsvp, quantity, message, created_at
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 order by created_at desc limit 6`

const replies: readonly (readonly [rsvp: string, Style])[] = [
  ['yes', 'green'],
  ['maybe', 'yellow'],
  ['no', 'red'],
]

/** Columns that the reply and the number take. */
const BESIDE_BAR = 14

/** Without this mark a terminal that turns Arabic and Hebrew around makes one run of a name and the message after it. */
const LEFT_TO_RIGHT = '\u200e'

const newestColumns = ['when', 'rsvp', right('heads'), text('name'), text('message')]

/** Heads by reply for the next event, and who replied last. */
export async function showGuests(page: DemoOutput, query: Query): Promise<void> {
  await page.question('Who comes to the next event?')
  await page.block(drawHeads(page, await query(heads)))
  await page.sql(heads)
  await page.question('Who answered last, and what did they write?')
  const rows = (await query(newest)).map(
    ({ created_at = '', rsvp = '', quantity = '', name = '', message = '' }) => {
      return [formatShortAge(created_at, Date.now()), rsvp, quantity, name + LEFT_TO_RIGHT, message]
    },
  )
  await page.table(newestColumns, rows)
  await page.sql(newest)
}

function drawHeads(page: DemoOutput, rows: readonly Row[]): string {
  const { event_title = '', event_at = '' } = rows[0] ?? {}
  const count = (rsvp: string) => Number(rows.find((row) => row['rsvp'] === rsvp)?.['heads'] ?? 0)
  const max = Math.max(...replies.map(([rsvp]) => count(rsvp)))
  const lines = replies.map(([rsvp, style]) => {
    const bar = drawBar(count(rsvp), max, page.width - BESIDE_BAR)
    return `${rsvp.padEnd(5)}  ${formatNumber(count(rsvp)).padStart(5)}  ${page.style(style, bar)}`
  })
  return [`${event_title}, ${momentText(event_at)}`, '', ...lines].join('\n')
}
