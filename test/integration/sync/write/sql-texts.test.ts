/** X4 Text that would be SQL, or a command to a loader, if it ever stood outside of a value. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { engines } from '../../../support/databases/databases.ts'
import { onBothStages } from '../../../support/runs/stage.ts'
import { startWire } from '../../../support/http/wire.ts'

const texts = [
  "'; drop table headcount.responses; --",
  "a' or '1'='1",
  String.raw`\'; delete from headcount.events; --`,
  '"; drop schema headcount cascade; --',
  '$1, $2::text, :name, ?',
  '$$; drop table headcount.events; $$',
  "E'\\x27' || pg_sleep(10)",
  String.raw`\.`,
  String.raw`\N`,
  'NULL',
  '{a,b,"c\'}',
  'a\tb\nc\r\nd',
  '/* */ -- %s %I ${process.exit(1)}',
  "['x']::text[]",
]

onBothStages('X4 SQL in every text and id', (stage) => {
  test('is stored as text, as the id of an event too, when it comes, changes and goes', async () => {
    const account = accountOf({})
    account.email = `${texts[0]}@example.org`
    for (const text of texts) {
      const key = text
      account.add(text, 0, { title: text, description: text, event_type: text, location: text, [key]: text })
      account
        .of(text)
        .push(
          { id: 1, name: text, email: text, message: text, rsvp: text, [key]: { [key]: [text] } },
          { id: 2, amount: text, created_at: text, quantity: text },
          { id: 3, slots: [{ name: text, start_date: text, [key]: text }] },
        )
    }
    await using on = await stage(account)
    const name = texts[0] ?? ''
    expect(await on.sync({ account: name })).toMatchObject({ exit: 0, report: { rejected: 0 } })
    on.expectMirrored()

    for (const [place, text] of texts.entries()) {
      // Few enough go that nothing is held.
      account.of(text).splice(0, place < 5 ? 2 : 1, { id: 1, name: `${text}${text}`, email: null })
      Object.assign(account.events.find((event) => Object(event).id === text) ?? {}, { title: `${text}.` })
    }
    account.remove(...texts.slice(0, 1))
    const changed = await on.sync({ account: name, events: [] })
    expect(changed).toMatchObject({ exit: 0, report: { rows: { events: { deleted: 1 } } } })
    on.expectMirrored()
    expect(await on.sync({ account: name, events: texts.slice(1, 3) })).toMatchObject({ exit: 0 })
    expect((await on.sync({ account: name, all: true })).report.events).toMatchObject({ changed: 0 })
    on.expectMirrored()
  })
})

test.each(engines)('X4 SQL in an item that is rejected: its text is kept (%s)', async (engine) => {
  await using wire = await startWire(engine)
  const items = texts.map((text) => JSON.stringify({ id: text, name: text }))
  wire.bodies.set('', '[{"id":"gala"}]')
  wire.bodies.set('gala', `[${items.join(',')}]`)
  expect(await wire.sync()).toMatchObject({ exit: 8, report: { rejected: texts.length } })
  expect((await wire.look()).rows('rejects').map(({ payload }) => payload)).toEqual(items)
})

test('X4 SQL in what a user types: names of accounts and events', async () => {
  const [name = '', id = ''] = texts
  const account = accountOf({ gala: 1 })
  account.add(id, 2)
  await using on = await commandStage('postgres', account)
  const asAccount = { env: { HEADCOUNT_ACCOUNT: name } }
  expect((await on.run(['sync', '--event', id], asAccount)).code).toBe(0)
  const status = await on.run(['status', '--json'])
  expect(JSON.parse(status.stdout)).toMatchObject({
    accounts: [{ account: name, rows: { events: 1, responses: 2 } }],
  })
  for (const args of [['rejects'], ['runs']]) expect((await on.run(args, asAccount)).code).toBe(0)
  expect((await on.run(['sync', '--event', `${id} nowhere`], asAccount)).code).toBe(2)
})
