import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { formatNumber } from '../output/format/number.ts'
import { drawTable } from '../output/format/table.ts'
import type { Style } from '../terminal/terminal.ts'
import type { Ask, Row } from './query.ts'
import { drawBar } from './bar.ts'
import { formatMoment, formatShortAge } from './format-time.ts'
import type { DemoOutput } from './output.ts'

// A "no" has the quantity 0, and stands for one person all the same.
const heads = `select event_title, event_at, rsvp, sum(greatest(quantity, 1)) as heads
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 group by event_title, event_at, rsvp`

const newest = `select name, rsvp, quantity, message, created_at
  from response_details
 where event_at = (select min(event_at) from events where event_at > now())
 order by created_at desc limit 6`

const replies: readonly { readonly rsvp: string; readonly style: Style }[] = [
  { rsvp: 'yes', style: 'green' },
  { rsvp: 'maybe', style: 'yellow' },
  { rsvp: 'no', style: 'red' },
]

/** Columns that the reply and the number take. */
const BESIDE_BAR = 14

/** Heads by reply for the next event, and who replied last. */
export async function showGuests(page: DemoOutput, ask: Ask): Promise<void> {
  const answer = await ask(heads)
  const [event] = answer
  await page.question('Who comes to the next event?')
  if (event !== undefined) await page.block(drawHeads(page, event, answer))
  await page.sql(heads)
  await page.block(drawNewest(page, await ask(newest)))
  await page.sql(newest)
}

function drawHeads(page: DemoOutput, event: Row, answer: readonly Row[]): string {
  const count = (rsvp: string) => Number(answer.find((row) => row['rsvp'] === rsvp)?.['heads'] ?? 0)
  const most = Math.max(...replies.map(({ rsvp }) => count(rsvp)))
  const lines = replies.map(({ rsvp, style }) => {
    const bar = drawBar(count(rsvp), most, page.width - BESIDE_BAR)
    return `${rsvp.padEnd(5)}  ${formatNumber(count(rsvp)).padStart(5)}  ${page.style(style, bar)}`
  })
  const title = stripControlCharsInLine(event['event_title'] ?? '')
  return [`${title}, ${formatMoment(event['event_at'] ?? '')} UTC`, '', ...lines].join('\n')
}

/** Without this mark a terminal that turns Arabic and Hebrew around makes one run of a name and the message after it. */
const LEFT_TO_RIGHT = '\u200e'

function drawNewest(page: DemoOutput, answer: readonly Row[]): string {
  const rows = answer.map((row) => [
    formatShortAge(row['created_at'] ?? '', Date.now()),
    row['rsvp'] ?? '',
    row['quantity'] ?? '',
    stripControlCharsInLine(row['name'] ?? '') + LEFT_TO_RIGHT,
    stripControlCharsInLine(row['message'] ?? ''),
  ])
  return drawTable(
    [
      { heading: 'newest' },
      { heading: 'rsvp' },
      { heading: 'heads', align: 'right' },
      { heading: 'name' },
      { heading: 'message' },
    ],
    rows,
    { width: page.width, styleHeading: (text) => page.style('dim', text) },
  )
}
