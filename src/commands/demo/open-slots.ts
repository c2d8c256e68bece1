import { wallClockText } from '../../common/text/moments.ts'
import { text } from '../output/format/table.ts'
import type { DemoOutput, Query } from './output.ts'

const fewestSignUps = `select s.start_local, e.title, s.name as slot, count(*) as sign_ups
  from slots s
  join events e on e.account_id = s.account_id and e.id = s.event_id
 where s.start_date between now() and now() + interval '8 weeks'
 group by s.start_local, e.title, s.name
 order by sign_ups, s.start_local limit 8`

const columns = ['local time', text('event'), text('slot'), 'sign-ups']

const MAX_DOTS = 12

/** The coming slots for which the fewest have signed up. A slot that nobody took is not in any response. */
export async function showOpenSlots(page: DemoOutput, query: Query): Promise<void> {
  await page.question('Where are hands still missing in the next eight weeks?')
  const rows = (await query(fewestSignUps)).map(({ start_local = '', title = '', slot = '', sign_ups }) => {
    const dots = '●'.repeat(Math.min(Number(sign_ups), MAX_DOTS))
    return [wallClockText(start_local), title, slot, page.style(sign_ups === '1' ? 'red' : 'yellow', dots)]
  })
  await page.table(columns, rows)
  await page.sql(fewestSignUps)
}
