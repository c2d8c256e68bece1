import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { send, startFaultServer } from '../../../support/http/fault-server.ts'
import type { SeenRequest } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

onBothStages('S10 another account', (stage) => {
  test('with nothing in common: refused, nothing is written; --adopt takes the mirror over, under the guard', async () => {
    await using on = await stage(accountOf({ gala: 30 }))
    await on.sync()
    const before = [on.mirror.rows('accounts'), on.mirror.rows('events'), on.mirror.rows('responses')]
    on.account.email = 'somebody.else@example.org'
    on.account.remove('gala')
    on.account.add('picnic', 2)
    const { exit, error } = await on.sync()
    expect({ exit, code: error?.code }).toEqual({ exit: 2, code: 'account_mismatch' })
    expect(error?.message).toMatch(/owner@example\.org.*somebody\.else@example\.org.*`account`.*`adopt`/)
    expect([on.mirror.rows('accounts'), on.mirror.rows('events'), on.mirror.rows('responses')]).toEqual(
      before,
    )

    expect(await on.sync({ adopt: true })).toMatchObject({ exit: 8, report: { held: 1 } })
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
    expect(on.mirror.rows('accounts').join()).toContain('somebody.else@example.org')
  })
})

const columns = 'select email, base_url, key_sha256 from headcount.accounts'

/** An account with so many events to come, each with a response. */
function accountWith(count: number, first = 1): ReturnType<typeof accountOf> {
  return accountOf(
    Object.fromEntries(Array.from({ length: count }, (_, place) => [`event ${first + place}`, 1])),
  )
}

/** The account at this address becomes another one, which has these events. */
function becomes({ account }: Stage, other: ReturnType<typeof accountOf>, email: string | null): void {
  account.email = email
  account.events = other.events
  account.responses.clear()
  for (const [id, responses] of other.responses) account.responses.set(id, responses)
}

const refused = { exit: 2, error: { code: 'account_mismatch' } }
const taken = (words: RegExp) => ({ report: { warnings: [expect.stringMatching(words) as string] } })

onBothStages('I1 another account', (stage) => {
  test('that shares some event ids is refused, and one that shares half of them is taken over', async () => {
    await using on = await stage(accountWith(8))
    await on.sync()
    const before = [on.mirror.rows('accounts'), on.mirror.rows('events')]
    becomes(on, accountWith(8, 6), 'other@example.org')
    const { exit, error } = await on.sync()
    expect(exit).toBe(2)
    expect(error?.message).toMatch(/of its 8 events that are not past 3 are listed, which is less than half/)
    expect([on.mirror.rows('accounts'), on.mirror.rows('events')]).toEqual(before)
    becomes(on, accountWith(8, 5), 'other@example.org')
    expect(await on.sync({ acceptDeletions: true })).toMatchObject(
      taken(/owner@example\.org.*other@example\.org/),
    )
    expect(await on.change(columns)).toMatchObject([
      ['other@example.org', expect.any(String), expect.any(String)],
    ])
  })

  test('that no e-mail tells from this one is told by its key', async () => {
    await using on = await stage(accountWith(4))
    on.account.email = null
    on.account.keys = [testKey, 'another key', 'a third key']
    await on.sync()
    // With the same key it is the same account, whatever it lists.
    becomes(on, accountWith(4, 3), null)
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ report: { warnings: [] } })
    expect(await on.sync({ apiKey: 'another key' })).toMatchObject(taken(/the key is another one/))
    expect(await on.sync({ apiKey: 'another key' })).toMatchObject({ exit: 0, report: { warnings: [] } })
    becomes(on, accountWith(4, 6), null)
    expect(await on.sync({ apiKey: 'a third key' })).toMatchObject(refused)
    expect(await on.sync({ apiKey: 'a third key', adopt: true })).toMatchObject(
      taken(/the key is another one/),
    )
  })

  test('with an empty list takes over nothing: what is missing is for the guard of deletions', async () => {
    await using on = await stage(accountWith(3))
    await on.sync()
    const known = await on.change(columns)
    becomes(on, accountWith(0), 'other@example.org')
    const { exit, report } = await on.sync()
    expect({ exit, held: report.held, warnings: report.warnings }).toEqual({
      exit: 8,
      held: 3,
      warnings: expect.arrayContaining([
        expect.stringMatching(/may be another account.*lists no event/),
      ]) as string[],
    })
    expect(await on.change(columns)).toEqual(known)
    becomes(on, accountWith(3, 4), 'other@example.org')
    expect(await on.sync()).toMatchObject(refused)
  })
})

onPostgresStage('I1 the same account, as far as can be told', (stage) => {
  test('the same e-mail in other case, or with another key: nothing is said', async () => {
    await using on = await stage(accountWith(4))
    on.account.keys = [testKey, 'another key']
    await on.sync()
    becomes(on, accountWith(4, 5), 'Owner@Example.ORG')
    expect(await on.sync({ apiKey: 'another key', acceptDeletions: true })).toMatchObject({
      report: { warnings: [] },
    })
    becomes(on, accountWith(4, 9), 'somebody.else@example.org')
    expect(await on.sync({ apiKey: 'another key' })).toMatchObject(refused)
  })

  test('that does not tell its e-mail any more: refused with few of its events, else known by its key from then on', async () => {
    await using on = await stage(accountWith(4))
    on.account.keys = [testKey, 'another key']
    await on.sync()
    becomes(on, accountWith(4, 4), null)
    expect(await on.sync()).toMatchObject(refused)
    becomes(on, accountWith(4), null)
    expect(await on.sync()).toMatchObject(taken(/owner@example\.org, and the service names none any more/))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { warnings: [] } })
    becomes(on, accountWith(4, 4), 'owner@example.org')
    expect(await on.sync({ apiKey: 'another key' })).toMatchObject(refused)
  })

  test.each([
    // Events to come and past ones in the mirror, those of them that are still listed, and whether that is enough.
    { ahead: 4, past: 6, listed: { ahead: 2, past: 0 }, isEnough: true },
    { ahead: 4, past: 6, listed: { ahead: 1, past: 6 }, isEnough: false },
    { ahead: 2, past: 6, listed: { ahead: 0, past: 4 }, isEnough: true },
    { ahead: 2, past: 6, listed: { ahead: 2, past: 1 }, isEnough: false },
    { ahead: 0, past: 0, listed: { ahead: 0, past: 0 }, isEnough: true },
  ])(
    '$ahead events to come and $past past ones, of which $listed.ahead and $listed.past are listed',
    async ({ ahead, past, listed, isEnough }) => {
      const account = accountOf({})
      for (let number = 1; number <= ahead; number += 1) {
        account.add(`ahead ${number}`, 1, number === 1 ? {} : { event_at: '2999-01-01T00:00:00Z' })
      }
      for (let number = 1; number <= past; number += 1)
        account.add(`past ${number}`, 1, { event_at: '2020-01-01T00:00:00Z' })
      await using on = await stage(account)
      await on.sync()
      const gone = [
        ...Array.from({ length: ahead - listed.ahead }, (_, place) => `ahead ${ahead - place}`),
        ...Array.from({ length: past - listed.past }, (_, place) => `past ${past - place}`),
      ]
      account.remove(...gone)
      account.add('another', 1)
      account.email = 'other@example.org'
      expect((await on.sync({ acceptDeletions: true })).exit === 2).toBe(!isEnough)
    },
  )

  test('of which the key was not stored before it was looked at: believed once, and known from then on', async () => {
    await using on = await stage(accountWith(4))
    on.account.email = null
    on.account.keys = [testKey, 'another key']
    await on.sync()
    await on.change('update headcount.accounts set key_sha256 = null')
    expect(await on.sync()).toMatchObject({ exit: 0, report: { warnings: [] } })
    becomes(on, accountWith(4, 5), null)
    expect(await on.sync({ apiKey: 'another key' })).toMatchObject(refused)
  })
})

onPostgresStage('S10 the same account under another address', (stage) => {
  test('another base address: refused with nothing in common, taken over when the events are', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    await on.sync()
    await using moved = await startFaultServer()
    const gala = on.account.events
    on.account.events = [{ id: 'picnic' }]
    moved.always(send((request) => on.account.answer(request)))
    expect(await on.sync({ baseUrl: moved.baseUrl.href })).toMatchObject({
      exit: 2,
      error: { code: 'account_mismatch' },
    })
    on.account.events = gala
    const { exit, report } = await on.sync({ baseUrl: moved.baseUrl.href })
    expect({ exit, warnings: report.warnings }).toEqual({
      exit: 0,
      warnings: [expect.stringContaining(moved.origin)],
    })
    // A slash at its end makes no other address.
    expect(await on.sync({ baseUrl: `${moved.baseUrl.href}/` })).toMatchObject({
      exit: 0,
      report: { warnings: [] },
    })
  })

  test('lists of before are read again, whatever their validators and their times say', async () => {
    await using on = await stage(accountOf({ gala: 2, old: 2 }))
    Object.assign(Object(on.account.events[1]), { event_at: '2020-01-01T00:00:00Z' })
    const withOneValidator = send((request: SeenRequest) => {
      if (request.headers['if-none-match'] !== undefined) return { status: 304 }
      return { ...on.account.answer(request), headers: { ETag: '"1"' } }
    })
    on.service.always(withOneValidator)
    await on.sync()
    await using moved = await startFaultServer()
    moved.always(withOneValidator)
    for (const id of ['gala', 'old']) on.account.of(id)[0] = { id: 1, name: 'of another account' }
    expect(await on.sync({ baseUrl: moved.baseUrl.href })).toMatchObject({
      exit: 0,
      report: { not_modified: 0, events: { due: 2, changed: 2 } },
    })
    on.expectMirrored()
  })
})
