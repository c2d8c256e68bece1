import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { list, send } from '../../../support/http/fault-server.ts'
import type { Answer } from '../../../support/http/fault-server.ts'
import { heldOf, timePasses } from '../../../support/mirror/holds.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

function names(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `event-${String(place).padStart(2, '0')}`)
}

/** So many events of so many responses each. */
function accountWith(events: number, responses: number): Account {
  return accountOf(Object.fromEntries(names(events).map((name) => [name, responses])))
}

/** From now on the service answers every list of responses with none. */
function answerNothing({ service, account }: Stage): void {
  const isList = (path: string) => path.endsWith('/responses')
  service.always(send((request) => (isList(request.path) ? { body: [] } : account.answer(request))))
}

function answerAgain({ service, account }: Stage): void {
  service.always(send((request) => account.answer(request)))
}

/** Responses that are live. */
function live({ mirror }: Stage): number {
  return mirror.rows('responses').length
}

/** Why responses are held, each reason once. */
function reasons(on: Stage): readonly string[] {
  return [...new Set([...on.mirror.states.keys()].flatMap((id) => heldOf(on, id).map(([reason]) => reason)))]
}

onBothStages('an outage in which every list answers []', (stage) => {
  test.each([
    ['of two empty pages', 0, 5],
    // What the first reading had is unconfirmed.
    ['lacked some rows', 2, 3],
  ])(
    'S16 rows that went before the last good reading do not count when a list is read twice, and the first reading %s',
    async (_, first, held) => {
      await using on = await stage(accountOf({ gala: 12 }))
      await on.sync()
      on.account.of('gala').splice(0, 8)
      expect((await on.sync({ all: true })).report.rows.responses).toMatchObject({ deleted: 8 })
      on.account.of('gala').push({ id: 99, name: 'Zoë', rsvp: 'yes' })
      expect((await on.sync({ all: true })).report.rows.responses).toMatchObject({ inserted: 1 })
      let isFirst = true
      const page = (path: string): Answer => {
        if (path.includes('page=2')) return { body: [] }
        const body = isFirst ? on.account.of('gala').slice(0, first) : []
        isFirst = false
        return { body, headers: { Link: '<?page=2>; rel="next"' } }
      }
      on.service.always(
        send((request) =>
          request.path.includes('/responses') ? page(request.path) : on.account.answer(request),
        ),
      )
      // Five rows and none since: not more than ten, so that the list is held for itself, and time may confirm it.
      const { exit, report } = await on.sync({ all: true })
      expect({ exit, held: report.held, reasons: reasons(on) }).toEqual({
        exit: 8,
        held,
        reasons: ['list_empty'],
      })
      expect(report.warnings.join()).not.toContain('This looks like an outage')
    },
  )

  test.each<[string, Account]>([
    ['many lists of one response', accountWith(30, 1)],
    ['lists of every size', accountOf({ a: 60, b: 1, c: 12, d: 0, e: 1, f: 2, g: 9, h: 1 })],
  ])('S16 %s: nothing is lost in three hours with a hold of one', async (_, account) => {
    await using on = await stage(account)
    await on.sync()
    const before = on.mirror.rows('responses')
    answerNothing(on)
    for (let minutes = 0; minutes <= 180; minutes += 45) {
      const { exit, report } = await on.sync({ batchRows: 7 })
      expect({ exit, held: report.held, status: report.status }).toEqual({
        exit: 8,
        held: before.length,
        status: 'held',
      })
      expect(report.warnings).toEqual([
        expect.stringMatching(/^\d+ of \d+ lists that had responses came back empty/),
      ])
      expect(reasons(on)).toEqual(['account_empty'])
      await timePasses(on, 45)
    }
    expect(on.mirror.rows('responses')).toEqual(before)
    answerAgain(on)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 0 } } } })
    on.expectMirrored()
  })
})

onPostgresStage('an outage in which every list answers [], more', (stage) => {
  test('S16 lists that are read first, a batch each, are held like the last ones, by a backfill and a dry run too', async () => {
    await using on = await stage(accountWith(6, 1))
    await on.sync()
    answerNothing(on)
    const oneByOne = { concurrency: 1, batchRows: 1 }
    expect(await on.run('sync', { ...oneByOne, dryRun: true })).toMatchObject({
      exit: 8,
      report: { held: 6 },
    })
    expect(await on.sync(oneByOne)).toMatchObject({ exit: 8, report: { held: 6 } })
    expect(await on.backfill({ ...oneByOne, inMemoryBytes: 1 })).toMatchObject({
      exit: 8,
      report: { held: 6 },
    })
    expect(reasons(on)).toEqual(['account_empty'])
  })

  test('S16 two lists that are all that an account has are held for the owner, unless they are small', async () => {
    await using on = await stage(accountOf({ gala: 30, ball: 1 }))
    await on.sync()
    answerNothing(on)
    for (let run = 0; run < 4; run++) {
      expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 31 } })
      await timePasses(on, 60)
    }
    expect(reasons(on)).toEqual(['account_empty'])
  })

  test('S16 what was held before is now held for that reason; only the owner ends it', async () => {
    await using on = await stage(accountOf({ gala: 5, picnic: 5, ball: 5, fair: 5 }))
    await on.sync()
    on.account.of('gala').length = 0
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 5 } })
    expect(heldOf(on, 'gala')).toEqual([['list_empty', 5]])
    await timePasses(on, 60)
    for (const name of ['picnic', 'ball', 'fair']) on.account.of(name).length = 0
    for (let run = 0; run < 3; run++) expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 20 } })
    expect(reasons(on)).toEqual(['account_empty'])
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S16 a list that is as it was counts against it, also when it was not modified', async () => {
    const account = accountOf({ a: 1, b: 1, c: 1, d: 4, e: 4, f: 4 })
    await using on = await stage(account)
    for (const name of ['d', 'e', 'f'])
      on.service.at(`/events/${name}/responses`, list(account.of(name), { ETag: '"1"' }))
    await on.sync()
    for (const name of ['a', 'b', 'c']) account.of(name).length = 0
    for (const name of ['d', 'e', 'f'])
      on.service.at(`/events/${name}/responses`, send({ status: 304, headers: { ETag: '"1"' } }))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 3 } })
    on.expectMirrored()
  })

  test('S16 one that begins in the middle of a run costs what one run may remove, and no more for hours', async () => {
    await using on = await stage(accountWith(26, 1)) // 52 rows: ten may go
    await on.sync()
    const empty = (from: number, to: number) => {
      for (const name of names(26).slice(from, to)) on.account.of(name).length = 0
    }
    empty(14, 26)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 2 } })
    expect(live(on)).toBe(16)
    empty(0, 14)
    for (let run = 0; run < 4; run++) {
      expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 16 } })
      await timePasses(on, 60)
    }
    expect(live(on)).toBe(16)
  })

  test('S16 lists of past events that come due two at a time: what goes is summed up over the runs', async () => {
    const account = accountWith(16, 1) // 32 rows: ten may go
    for (const event of account.events) Object.assign(Object(event), { event_at: '2024-01-01T00:00:00Z' })
    await using on = await stage(account)
    await on.sync()
    for (const name of names(16)) account.of(name).length = 0
    for (let due = 0; due < 16; due += 2) {
      const [one, other] = names(16).slice(due)
      await on.change(
        `update headcount.sync_state set next_check_at = now() where event_id in ('${one}', '${other}')`,
      )
      await on.sync()
      await timePasses(on, 60)
    }
    expect(live(on)).toBe(6)
    expect(reasons(on)).toEqual(['account_empty'])
  })
})
