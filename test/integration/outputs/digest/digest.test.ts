/** What a digest tells of the changes between two runs. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { commandName } from '../../../../src/common/command-name.ts'
import { connect } from '../../../../src/db/connect.ts'
import { netChanges } from '../../../../src/mirror/answers/digest/net-changes.ts'
import { readPeriods } from '../../../../src/mirror/answers/digest/period.ts'
import { digestOutline } from '../../../../src/outputs/notify/digest/digest-outline.ts'
import { digestText } from '../../../../src/outputs/notify/digest/digest-text.ts'
import { digest, erasePerson, type AccountDigest, type DigestOptions } from '../../../../src/index.ts'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const told = (on: Stage, options: Partial<DigestOptions> = {}) =>
  digest({ ...optionOf(on.target), ...options })

async function own(on: Stage, options: Partial<DigestOptions> = {}): Promise<AccountDigest> {
  const [first, ...others] = (await told(on, options)).accounts
  if (first === undefined || others.length > 0) throw new Error('one account was expected')
  return first
}

/** How many of each part. */
function totals(found: AccountDigest): Record<string, number> {
  const { events_removed, events_changed, events_announced } = found
  const { responses_withdrawn, responses_changed, responses_new, money, thin_slots } = found
  const parts = {
    events_removed,
    events_changed,
    events_announced,
    responses_withdrawn,
    responses_changed,
    responses_new,
    money,
    thin_slots,
  }
  return Object.fromEntries(
    Object.entries(parts).flatMap(([name, { total }]) => (total === '0' ? [] : [[name, Number(total)]])),
  )
}

const texts = (found: AccountDigest) => digestText({ accounts: [found] })

/** An account that was mirrored once, with a gala in a week and a picnic. */
async function mirrored(stage: (account: Account) => Promise<Stage>): Promise<Stage> {
  const account = accountOf({})
  account.add('gala', 6, { title: 'Gala', event_at: inDays(7) })
  account.add('picnic', 3, { title: 'Picnic', event_at: inDays(30) })
  const on = await stage(account)
  await on.sync()
  return on
}

onBothStages('a digest', (stage) => {
  test('tells what became of each item between two runs, and names people and titles', async () => {
    await using on = await mirrored(stage)
    const { account } = on
    const slot = { name: 'Door', start_date: inDays(3), end_date: null }
    account.of('gala')[0] = responseItem(1, { amount: '30.00', name: 'Ada' })
    account.of('gala')[2] = responseItem(3, { quantity: 1, rsvp: 'maybe' })
    account.of('gala').splice(4, 1)
    account.of('gala').push(responseItem(7, { name: 'Grace', quantity: 1, rsvp: 'yes', slots: [slot] }))
    Object.assign(account.events[0] as object, { title: 'Summer gala', event_at: inDays(8) })
    account.add('fair', 1, { title: 'Fair', event_at: inDays(9) })
    await on.sync()
    account.of('gala')[2] = responseItem(3, { quantity: 4, rsvp: 'yes', updated_at: inDays(0) })
    // One comes and goes between two digests.
    account.of('gala').push(responseItem(8))
    await on.sync({ all: true })
    account.of('gala').splice(-1)
    await on.sync({ all: true })

    const found = await own(on, { since: 1 })
    expect(found).toMatchObject({ account: 'default', after_run_id: 1, until_run_id: 4, begins: false })
    expect(totals(found)).toEqual({
      events_changed: 1,
      events_announced: 1,
      responses_withdrawn: 1,
      responses_changed: 2,
      responses_new: 2,
      money: 2,
      thin_slots: 1,
    })
    const [moved] = found.events_changed.items
    expect(moved).toMatchObject({ event_id: 'gala', event_title: 'Summer gala' })
    expect(moved?.fields.map(({ field, before }) => [field, before])).toEqual([
      ['event_at', expect.any(String)],
      ['title', 'Gala'],
    ])
    expect(found.responses_withdrawn.items).toMatchObject([{ response_id: '5', name: 'Guest 5' }])
    const changed = Object.fromEntries(
      found.responses_changed.items.map(({ response_id, fields }) => [response_id, fields]),
    )
    // As it was before the first run of the while, beside how it is after the last one.
    expect(changed['3']).toEqual([{ field: 'quantity', before: 2, now: 4 }])
    expect(changed['1']?.map(({ field }) => field)).toEqual(['amount', 'name'])
    expect(found.responses_new.items.map(({ name }) => name)).toEqual(['Grace', 'Guest 1'])
    expect(found.money).toMatchObject({
      payments_changed: '1',
      payments_new: '2',
      payments_withdrawn: '0',
      amount: '42.50',
    })
    expect(found.mirror).toMatchObject({ whole: true, fresh: true, held: 0 })

    const text = texts(found)
    expect(text).toMatch(
      /^default: since .* \(run 1\)\n\nEvents changed: 1\n {2}Summer gala: moved from .* to .*\n/,
    )
    expect(text).toMatch(/^Announced: 1\n {2}Fair, /m)
    expect(text).toMatch(/^Withdrawn: 1\n {2}Summer gala: Guest 5$/m)
    expect(text).toMatch(
      /^ {2}Summer gala: Guest 3 \(quantity 2 → 4\), Ada \(amount 12\.50 → 30\.00, name Guest 1\n {4}→ Ada\)$/m,
    )
    expect(text).toMatch(
      /^Money: \+42\.50 \(2 new payments, 1 changed\)\n {2}Summer gala: \+30\.00 \(1 new payment, 1 changed\)\n {2}Fair: \+12\.50 \(1 new payment\)$/m,
    )
    expect(text).toMatch(/^ {2}.* Door, Summer gala: 1 of 2$/m)
    expect(text).toMatch(/\n\nThe mirror is whole, and the last good run began .*\.\n$/)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})

onPostgresStage('a digest (postgres)', (stage) => {
  test('names ten of each kind, and the query that lists all of them', async () => {
    await using on = await mirrored(stage)
    on.account.of('picnic').push(...Array.from({ length: 44 }, (_, place) => responseItem(100 + place)))
    await on.sync({ all: true })
    const { responses_new } = await own(on, { since: 1 })
    expect([responses_new.total, responses_new.items.length]).toEqual(['44', 10])
    expect(
      await on.change(`set search_path to headcount`, `select count(*)::int from (${responses_new.query}) q`),
    ).toEqual([[44]])
    const text = texts(await own(on, { since: 1 }))
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      `and 34 more: ${commandName()} query "select * from changes where account_id = 1 and run_id > 1 and run_id <= 2 and entity = 'response' and change = 'insert' and not initial"`,
    )
    expect(text.split('\n').length).toBeLessThan(30)
  })

  test('an event that is no longer listed takes its responses along, and is not called cancelled', async () => {
    await using on = await mirrored(stage)
    on.account.remove('picnic')
    on.account.of('gala').splice(0, 1)
    await on.sync({ all: true, acceptDeletions: true })
    const found = await own(on, { since: 1 })
    expect(totals(found)).toEqual({ events_removed: 1, responses_withdrawn: 1, money: 2 })
    expect(found.events_removed.items).toMatchObject([{ event_id: 'picnic', responses: '3' }])
    expect(texts(found)).toMatch(/^No longer listed: 1\n {2}Picnic, .*, with 3 responses$/m)
    on.account.add('picnic', 3, { title: 'Picnic' })
    on.account.of('gala').push(responseItem(1), responseItem(7))
    await on.sync({ all: true })
    const back = await own(on, { since: 2 })
    expect(back.events_announced.items).toMatchObject([{ event_id: 'picnic', returned: true }])
    expect(
      back.responses_new.items.map(({ event_id, response_id, returned }) => [
        event_id,
        response_id,
        returned,
      ]),
    ).toEqual([
      ['gala', '1', true],
      ['gala', '7', false],
      ...['1', '2', '3'].map((id) => ['picnic', id, true]),
    ])
    expect(texts(back)).toMatch(/^ {2}Gala: Guest 1 \([^)]*there again\), Guest 7 \((?![^)]*there again)/m)
    // Of whom nothing was told yet is new, however often the guest came and went meanwhile.
    on.account.of('gala').pop()
    await on.sync({ all: true })
    on.account.of('gala').push(responseItem(7))
    await on.sync({ all: true })
    const again = (await own(on, { since: 2 })).responses_new.items
    expect(again.map(({ response_id, returned }) => [response_id, returned]).slice(0, 2)).toEqual([
      ['7', false],
      ['1', true],
    ])
    expect(totals(await own(on, { since: 3 }))).toEqual({})
    expect((await own(on, { since: 4 })).responses_new.items).toMatchObject([
      { response_id: '7', returned: true },
    ])
    // From before it went to after it came back hardly anything changed.
    expect(totals(await own(on, { since: 1, event: 'picnic' }))).toEqual({ events_changed: 1 })
  })

  test('tells what is held and too old, on the clock of the account', async () => {
    await using on = await mirrored(stage)
    on.account.of('gala').length = 0
    await on.sync({ all: true })
    expect((await own(on, { since: 1 })).mirror).toMatchObject({ whole: false, fresh: true, held: 6 })
    expect(texts(await own(on, { since: 1 }))).toMatch(
      /^The mirror is not whole: 6 deletions\s+held;[^]*headcount status$/m,
    )
    await on.change(
      `update headcount.sync_runs set started_at = started_at - interval '3 days', finished_at = timestamptz '2026-11-20T22:30Z' where id = 1`,
      `update headcount.accounts set time_zone = 'Europe/Berlin'`,
    )
    const old = await own(on, { since: 1 })
    expect(old.mirror.fresh).toBe(false)
    expect(texts(old)).toMatch(/^default: since Fri 20 Nov 2026 23:30 \(run 1\)\n/)
  })

  test('no endless text makes a line that a chat would refuse', async () => {
    await using on = await mirrored(stage)
    const endless = 'x'.repeat(20_000)
    const slot = { name: endless, start_date: inDays(3), end_date: null }
    const fields = { quantity: 1, rsvp: endless, [endless]: endless }
    on.account.of('gala')[0] = responseItem(1, { ...fields, slots: [slot] })
    on.account.of('gala').push(responseItem(7, { ...fields, name: `A${'\u0301'.repeat(20_000)}` }))
    Object.assign(on.account.events[0] ?? {}, { [endless]: endless })
    await on.sync({ all: true })
    const found = await own(on, { since: 1 })
    expect(totals(found)).toMatchObject({
      events_changed: 1,
      responses_changed: 1,
      responses_new: 1,
      thin_slots: 1,
    })
    for (const { heading, items } of digestOutline(found).parts)
      for (const item of items) expect(item.length, heading).toBeLessThan(700)
  })

  test('takes odd texts for texts', async () => {
    const account = accountOf({})
    const id = `a'b "c" \\ $(d)`
    account.add(id, 3, { title: 'plain\u001b[31m\nred' })
    await using on = await stage(account)
    await on.sync()
    account.of(id)[0] = responseItem(1, {
      quantity: 7,
      name: '\u001b]0;x\u0007\nBobby',
      odd: { deep: ['x'] },
      amount: 'free',
    })
    account
      .of(id)
      .push(...Array.from({ length: 12 }, (_, place) => responseItem(50 + place, { name: '名'.repeat(90) })))
    await on.sync({ all: true })
    const found = await own(on, { since: 1, event: id })
    expect(totals(found)).toEqual({ responses_changed: 1, responses_new: 12, money: 1 })
    const text = texts(found)
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(
      await on.change(
        `set search_path to headcount`,
        `select count(*)::int from (${found.responses_new.query}) q`,
      ),
    ).toEqual([[12]])
  })

  test('what the first reading finds is no news: from now on it tells what changes', async () => {
    await using on = await mirrored(stage)
    const first = await told(on)
    expect(first).toMatchObject({ is_news: true, accounts: [{ begins: true, first_readings: '11' }] })
    expect(totals(await own(on))).toEqual({})
    expect(digestText(first)).toMatch(/read for the first time\. From now on a digest tells what\nchanges\./)
    // Afterwards there is nothing to tell, although the service notes an edit.
    on.account.of('gala')[0] = responseItem(1, { updated_at: inDays(0) })
    await on.sync({ all: true })
    expect(await told(on, { since: 1 })).toMatchObject({ is_news: false })
    expect(texts(await own(on, { since: 1 }))).toMatch(/\n\nNothing new\.\n\nThe mirror is whole/)
  })

  test('of many first readings compares each item with its own changes alone', async () => {
    const [account, items] = [accountOf({}), 2000]
    account.add('gala', items)
    await using on = await stage(account)
    await on.sync()
    await using database = await connect(on.target)
    const plan = await database.transaction(async (trx) => {
      const [period] = await readPeriods(trx, { msFromNow: -DAY }, null)
      if (period === undefined) throw new Error('there is no account')
      const explained = await sql`explain (analyze, format json) ${netChanges(period, null)}`.execute(
        trx.kysely,
      )
      return JSON.stringify(explained.rows)
    })
    const removed = plan.matchAll(/"Rows Removed by Join Filter":(\d+)/g)
    expect(plan).toContain(`"Actual Rows":${items}`)
    expect([...removed].reduce((sum, [, rows]) => sum + Number(rows), 0)).toBeLessThan(10 * items)
  })

  test('never names people who were erased or forgotten', async () => {
    await using on = await mirrored(stage)
    const { account } = on
    account.add('old', 3, { title: 'Old', event_at: inDays(-400) })
    await on.sync()
    const ada = { name: 'Ada Lovelace', email: 'ada@example.org', message: 'with the engine' }
    account.of('gala')[0] = responseItem(1, ada)
    account.of('gala')[1] = responseItem(2, ada)
    account.of('gala').push(responseItem(7, ada), responseItem(8, ada))
    account.of('old')[0] = responseItem(1, { quantity: 9 })
    account.of('old')[1] = responseItem(2, { message: 'see you' })
    await on.sync({ all: true })
    account.of('gala').splice(1, 1)
    await on.sync({ all: true })
    expect(JSON.stringify(await told(on, { since: 1 }))).toMatch(/Lovelace/)
    const personKey = 'a key of the suppression list for tests only'
    await erasePerson({ ...optionOf(on.target), email: ada.email, personKey })
    await on.run('sync', { personKey, forgetAfterMs: 365 * DAY, all: true })
    const found = await own(on, { since: 1 })
    expect(JSON.stringify(found.responses_new.items.map(({ name }) => name))).not.toMatch(/Ada/)
    const traces = /Lovelace|ada@|engine|see you/
    expect(JSON.stringify(found)).not.toMatch(traces)
    const old = await own(on, { since: 2, event: 'old' })
    expect(JSON.stringify(old)).not.toMatch(/Guest|guest|see you/)
    expect(texts(found)).toMatch(/^Withdrawn: 1\n {2}Gala: 1 response$/m)
  })

  test('tells of each account apart, and of one event', async () => {
    await using on = await mirrored(stage)
    await on.run('sync', { account: 'north', createAccount: true })
    on.account.of('gala').splice(0, 1)
    on.account.of('picnic').push(responseItem(9))
    await on.run('sync', { account: 'north', all: true })
    const both = await told(on, { since: 2 })
    expect(both.accounts.map((found) => [found.account, totals(found)])).toEqual([
      ['default', {}],
      ['north', { responses_withdrawn: 1, responses_new: 1, money: 1 }],
    ])
    expect((await told(on, { since: 2, account: 'default' })).is_news).toBe(false)
    expect(totals(await own(on, { since: 2, account: 'north', event: 'gala' }))).toEqual({
      responses_withdrawn: 1,
      money: 1,
    })
    await expect(told(on, { since: 2, event: 'galaa' })).rejects.toThrow(/did you mean gala/)
    await expect(told(on, { since: 99 })).rejects.toThrow(/There is no run 99/)
  })
})
