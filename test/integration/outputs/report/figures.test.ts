/** Every figure of the page is one of a view: they are computed again in SQL, and compared with what the page shows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSampleAccount } from '../../../../src/commands/demo/account/account.ts'
import type { Database } from '../../../../src/db/connect.ts'
import { renderReport } from '../../../../src/outputs/report/render-report.ts'
import { readReport } from '../../../../src/mirror/answers/report/report-call.ts'
import { removeRsvpMeaning, setAccount, setSlotTarget, sync } from '../../../../src/index.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { serveAccount } from '../../../support/http/serving.ts'
import {
  headingsOf,
  keyFiguresOf,
  numberIn,
  tableOf,
  textOf,
} from '../../../support/outputs/report/page-tables.ts'

const apiKey = 'key-of-the-report'

describe('the figures of a report', () => {
  const opened = new AsyncDisposableStack()
  const account = createSampleAccount({ seed: 'report', now: new Date() })
  let database: Database

  beforeAll(async () => {
    const place = opened.use(await freshPlace('postgres'))
    const { url: baseUrl } = opened.use(await serveAccount(account, apiKey))
    await sync({ database: place.url, apiKey, baseUrl })
    account.advance()
    await sync({ database: place.url, apiKey, baseUrl })
    await setAccount({ database: place.url, account: 'default', timeZone: 'America/New_York' })
    // Some slots are thin on every day of the year.
    await setSlotTarget({ database: place.url, account: 'default', wanted: 4 })
    await removeRsvpMeaning({ database: place.url, value: 'maybe' })
    database = opened.use(await place.open())
  })

  afterAll(() => opened.disposeAsync())

  /** Rows as texts, on the connection that the report uses. */
  const select = async (text: string) => {
    const { rows } = await database.transaction(
      async (trx) => {
        await trx.query('set local search_path to headcount')
        return trx.query(text)
      },
      { readOnly: true },
    )
    return rows.map((row) =>
      row.map((value) =>
        typeof value === 'string' || typeof value === 'number' ? numberIn(String(value)) : '–',
      ),
    )
  }
  const one = async (text: string) => (await select(text))[0] ?? []
  const reportOf = (event: string | null = null) =>
    readReport(database, { account: null, event, with_personal: true }, null)
  /** Columns of a table of the page, as plain numbers. */
  const columns = (page: string, id: string, ...places: readonly number[]) =>
    tableOf(page, id).map((row) => places.map((at) => numberIn(row[at] ?? '')))
  const money = (column: string) => `to_char(${column}, 'FM999999999999990.00')`

  const peopleSoFar = (event: string, daysBefore: number) =>
    one(
      `select people_so_far from response_pace where event_id = '${event}' and days_before >= ${daysBefore} order by day desc limit 1`,
    )

  // A response may grow older than seven days between the page and the statement.
  const again = { retry: 2 }

  test('at the top', again, async () => {
    const figures = keyFiguresOf(renderReport(await reportOf()))
    const upcoming = 'from event_summary where coalesce(days_until, 0) >= 0'
    expect([...figures.values()]).toEqual([
      ...(await one(`select count(*), sum(expected) ${upcoming}`)),
      ...(await one('select sum(new_7d) from event_summary')),
      ...(await one('select count(*) from thin_slots')),
      ...(await one(
        `select ${money('amount')} from payments_by_month order by month desc nulls last limit 1`,
      )),
    ])
    expect([...figures.values()].filter((value) => Number(value) > 0)).toHaveLength(5)
  })

  test('of the events', again, async () => {
    const page = renderReport(await reportOf())
    const thin = '(select count(*) from thin_slots t where t.event_id = v.event_id)'
    const shown = `coalesce(nullif(${thin}::text, '0'), '–')`
    const order = 'order by coalesce(days_until, 0) < 0, abs(extract(epoch from event_at - now())), event_id'
    const all = await select(
      `select event_title, expected, maybe, responses, coalesce(${money('amount')}, '–'), ${shown} from event_summary v ${order}`,
    )
    expect(all.length).toBeGreaterThan(50)
    expect(columns(page, 'events-table', 0, 2, 3, 4, 5, 6)).toEqual(all)
    const next = await select(
      `select expected, maybe, ${shown}, new_7d from event_summary v where days_until >= 0 ${order} limit 10`,
    )
    expect(columns(page, 'upcoming', 2, 3, 4, 5)).toEqual(next)
  })

  test('of slots that need people', again, async () => {
    const page = renderReport(await reportOf())
    const slots = await select(
      'select people, wanted, missing from thin_slots order by start_date, event_id, slot_name collate "C", end_date',
    )
    expect(slots.length).toBeGreaterThan(0)
    expect(columns(page, 'thin-slots', 1, 2, 4)).toEqual(slots)
  })

  test('of the pace, beside the same days before earlier events', again, async () => {
    const report = await reportOf()
    const page = renderReport(report)
    const paces = report.subject === 'account' ? report.pace : []
    expect(paces).toHaveLength(3)
    for (const [at, { event, similar }] of paces.entries()) {
      expect(similar.map(({ event_id }) => [event_id])).toEqual(
        await select(
          `select similar_event_id from similar_events where event_id = '${event.event_id}' order by rank`,
        ),
      )
      expect(similar.length).toBeGreaterThan(0)
      const rows = tableOf(page, `pace-${at + 1}`)
      expect(rows.length).toBeGreaterThan(5)
      for (const [day = '', ...shown] of rows) {
        const expected: string[] = []
        for (const { event_id } of [event, ...similar]) {
          const isToCome = event_id === event.event_id && Number.parseInt(day, 10) < event.days_until
          const [people = '–'] = await peopleSoFar(event_id, Number.parseInt(day, 10))
          expected.push(isToCome ? '–' : people)
        }
        expect(shown.map(numberIn), `${event.event_id} ${day}`).toEqual(expected)
      }
      expect(page).toContain(`${event.days_until} days before`)
    }
  })
  test('of the money', again, async () => {
    const page = renderReport(await reportOf())
    const sums = ['amount', 'processing_fee', 'amount_after_fee'].map(money).join(', ')
    const months = await select(
      `select to_char(month, 'Mon YYYY'), payments, negative, ${sums} from payments_by_month order by month desc nulls last`,
    )
    expect(months.length).toBeGreaterThan(10)
    expect(columns(page, 'money', 0, 1, 2, 3, 4, 5)).toEqual(months)
    const [payments, amount, after] = await one(
      `select sum(payments), ${money('sum(amount)')}, ${money('sum(amount_after_fee)')} from payments_by_month`,
    )
    const [, ...said] = /([\d,]+) payments: ([\d,.]+), ([\d,.]+) after/.exec(textOf(page)) ?? []
    expect(said.map(numberIn)).toEqual([payments, amount, after])
  })

  test('of what changed, and of the data', again, async () => {
    const page = renderReport(await reportOf())
    const changed = (change: string) =>
      one(
        `select count(*) from changes where entity = 'response' and change = '${change}' and not initial and changed_at > now() - interval '7 days'`,
      )
    expect(headingsOf(page)).toEqual(
      expect.arrayContaining([
        `Withdrawn: ${(await changed('delete'))[0]}`,
        `Changed: ${(await changed('update'))[0]}`,
        `New: ${(await changed('insert'))[0]}`,
      ]),
    )
    const [held, rejected, accepted, setAside, failing] = await one(
      `select sum(held), sum(rejected), sum(accepted), sum(set_aside), count(*) filter (where failing) from list_status`,
    )
    const [values] = await one(`select count(*) from rsvp_values where meaning = 'unknown'`)
    const [withoutEmail] = await one('select sum(without_email) from event_summary')
    expect(columns(page, 'quality-table', 1).flat()).toEqual([
      held,
      rejected,
      accepted,
      setAside,
      failing,
      '0',
      values,
      withoutEmail,
    ])
    expect(values).toBe('1')
    expect(page).toMatch(/<bdi>maybe<\/bdi>: \d+ responses/)
  })

  test('of one event', again, async () => {
    const [event = ''] = await one(
      `select event_id from event_summary where days_until >= 0 and payments > 0 and slots = 0 order by event_at limit 1`,
    )
    const page = renderReport(await reportOf(event))
    const own = `where event_id = '${event}'`
    expect([...keyFiguresOf(page).values()]).toEqual(
      await one(`select expected, maybe, responses, new_7d, ${money('amount')} from event_summary ${own}`),
    )
    expect(columns(page, 'guests', 0, 3, 4)).toEqual(
      await select(
        `select coalesce(name, '(no name)'), expected, coalesce(${money('amount')}, '–') from event_respondents ${own}
          order by expected > 0 desc, name collate "C", response_id, email_key collate "C"`,
      ),
    )
    expect(columns(page, 'payments-table', 1).flat()).toEqual(
      await one(
        `select payments, payers, without_amount, negative, ${['amount', 'processing_fee', 'amount_after_fee', 'smallest_amount', 'largest_amount'].map(money).join(', ')} from payment_summary ${own}`,
      ),
    )
    const [withSlots = ''] = await one(
      'select event_id from slot_summary group by 1 order by count(*) desc limit 1',
    )
    expect(columns(renderReport(await reportOf(withSlots)), 'slots', 1, 2, 3)).toEqual(
      await select(
        `select sign_ups, people, wanted from slot_summary where event_id = '${withSlots}' order by start_date nulls last, slot_name collate "C", end_date`,
      ),
    )
  })
})
