/** What a report says beside its figures: why two of them differ, what changed, where the rest is, and what is held. */
import { expect, test } from 'vitest'
import { report } from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { textOf } from '../../../support/outputs/report/page-tables.ts'
import { onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const at = '2026-11-24T01:42:'

const gala = { title: 'The gala', event_at: '2099-12-05T18:30:00Z' }

function clubAccount() {
  const account = accountOf({ fair: 20 })
  account.add('gala', 0, gala)
  account.add('picnic', 0, { title: 'The picnic', event_at: inDays(10) })
  return account
}

async function pageOf(stage: Stage, event?: string) {
  const { html } = await report({ ...optionOf(stage.target), ...(event !== undefined && { event }) })
  return textOf(html.slice(html.indexOf('<body>')))
}

onPostgresStage('the words of a report', (start) => {
  test('say above the pace why its people are more than those expected', async () => {
    const account = clubAccount()
    const ada = { email: 'ada@example.org', quantity: 1, created_at: inDays(-3) }
    account
      .of('picnic')
      .push(
        responseItem(3, { ...ada, rsvp: 'yes' }),
        responseItem(1, { ...ada, amount: '12.50' }),
        responseItem(6, { rsvp: 'maybe', quantity: 4, created_at: inDays(-2) }),
      )
    await using stage = await start(account)
    await stage.sync()
    const note =
      'The pace adds up the people of all responses: maybes and replies without a meaning count, and who replies and pays counts twice. Expected counts each person once, by a reply that means coming, a payment or a sign-up.'
    for (const page of [await pageOf(stage), await pageOf(stage, 'picnic')]) {
      expect(page.split(note)).toHaveLength(2)
      expect(page.indexOf(note)).toBeLessThan(page.indexOf('6 people so far'))
    }
    expect(await pageOf(stage, 'picnic')).toContain('person expected 1')
  })

  test('count those who answered, or paid, after the day of the event', async () => {
    const account = accountOf({})
    account.add('dues-2026', 0, { title: 'Dues 2026', event_at: inDays(-18) })
    account.add('dues-2025', 0, { title: 'Dues 2025', event_at: inDays(-383) })
    const answered = (event: string, ...days: readonly number[]) =>
      account.responses.set(
        event,
        days.map((day, at) => ({ id: at + 1, rsvp: 'yes', quantity: 1, created_at: inDays(day) })),
      )
    answered('dues-2026', -27, -23, -20, -13, -8)
    // The last one came later than today is after the event of this year.
    answered('dues-2025', -392, -388, -373, -367, -335)
    await using stage = await start(account)
    await stage.sync()
    const page = await pageOf(stage, 'dues-2026')
    expect(page).toMatch(
      /5 people so far, and 3 by the day of the event\. 18 days after, the earlier one had 4 \(/,
    )
    // At the end of the curve.
    expect(page).toMatch(/days before the event3 people/)
    // In the table, so many days before.
    expect(page).toContain(' 132 032 Slots')
  })

  test('show what differs of what changed, and first what changes a plan', async () => {
    const account = clubAccount()
    const long = 'x'.repeat(200)
    const before = { name: 'Ada', created_at: `${at}07Z`, message: `${long} one` }
    account
      .of('picnic')
      .push(responseItem(1, before), responseItem(2, { name: 'Bob ', created_at: `${at}07Z` }))
    account
      .of('gala')
      .push(responseItem(3, { ...before, name: 'Cy', quantity: 2, rsvp: 'yes', email: 'cy@example.org' }))
    await using stage = await start(account)
    await stage.sync()
    account.of('picnic')[0] = responseItem(1, { ...before, created_at: `${at}52Z` })
    account.of('picnic')[1] = responseItem(2, { name: 'Bob', created_at: `${at}07Z` })
    account.of('gala')[0] = responseItem(3, {
      ...before,
      name: 'Cy',
      quantity: 3,
      rsvp: 'no',
      message: `${long} two`,
      email: 'cyrus@example.org',
    })
    account.events[1] = {
      ...Object(account.events[1]),
      title: 'The great gala',
      event_at: '2099-12-06T18:30:00Z',
    }
    await stage.sync({ all: true })
    const page = await pageOf(stage)
    expect(page).toContain('created_at Tue 24 Nov 2026, 01:42:07 → Tue 24 Nov 2026, 01:42:52')
    expect(page).toContain(
      `: rsvp yes → no, quantity 2 → 3, email cy@example.org → cyrus@example.org, message …${'x'.repeat(19)} one → …${'x'.repeat(19)} two`,
    )
    expect(page).toContain(String.raw`name Bob\u{20} → Bob`)
    expect(page).toContain('moved from Sat 5 Dec 2099, 18:30 to Sun 6 Dec 2099, 18:30')
    expect(page).toContain('renamed The gala → The great gala')
    // The picnic is nearer, but a time of creation is no news of a plan.
    expect(page.indexOf('Cy, ')).toBeLessThan(page.indexOf('created_at'))
  })

  test('name the command that lists what is not shown', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    for (let id = 100; id < 113; id++) stage.account.of('picnic').push(responseItem(id))
    await stage.sync({ all: true })
    const since = String.raw`--since [\d:TZ.-]+`
    expect(await pageOf(stage)).toMatch(
      new RegExp(`and 3 more: headcount changes --account default ${since} --limit 1000`),
    )
    expect(await pageOf(stage, 'picnic')).toMatch(
      new RegExp(`and 3 more: headcount changes --account default ${since} --event picnic --limit 1000`),
    )
  })

  test('tell of one event what is held of it, and not what is held of another', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    stage.account.of('fair').splice(0)
    await stage.sync({ all: true })
    const held = '20 deletions are held back'
    expect(await pageOf(stage)).toContain(held)
    expect(await pageOf(stage, 'fair')).toContain(held)
    expect(await pageOf(stage, 'gala')).toContain('Whole and fresh.')
    stage.account.remove('fair')
    stage.account.remove('picnic')
    stage.account.remove('gala')
    await stage.sync({ all: true })
    expect(await pageOf(stage, 'gala')).toContain('1 deletion is held back')
  })
})
