import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { drawTable } from '../output/format/table.ts'
import type { Ask, Row } from './query.ts'
import { formatMoment } from './format-time.ts'
import type { DemoOutput } from './output.ts'

const thinnest = `select s.start_local, e.title, s.name as slot, count(*) as sign_ups
  from slots s
  join events e on e.account_id = s.account_id and e.id = s.event_id
 where s.start_date between now() and now() + interval '8 weeks'
 group by s.start_local, e.title, s.name
 order by sign_ups, s.start_local limit 8`

/** The coming slots for which the fewest have signed up. A slot that nobody took is not in any response. */
export async function showOpenSlots(page: DemoOutput, ask: Ask): Promise<void> {
  await page.question('Where are hands still missing in the next eight weeks?')
  await page.block(drawSlots(page, await ask(thinnest)))
  await page.sql(thinnest)
}

function drawSlots(page: DemoOutput, answer: readonly Row[]): string {
  return drawTable(
    [{ heading: 'local time' }, { heading: 'event' }, { heading: 'slot' }, { heading: 'sign-ups' }],
    answer.map((row) => [
      formatMoment(row['start_local'] ?? ''),
      stripControlCharsInLine(row['title'] ?? ''),
      stripControlCharsInLine(row['slot'] ?? ''),
      drawSignUps(page, Number(row['sign_ups'])),
    ]),
    { width: page.width, styleHeading: (text) => page.style('dim', text) },
  )
}

/** More dots than this would be no thin slot. */
const MAX_DOTS = 12

function drawSignUps(page: DemoOutput, count: number): string {
  return page.style(count === 1 ? 'red' : 'yellow', '●'.repeat(Math.min(count, MAX_DOTS)))
}
