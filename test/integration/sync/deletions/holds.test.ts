import { expect, test } from 'vitest'
import { accountOf, refusal, responsesFrom } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { heldOf, timePasses, twoHoursPass } from '../../../support/mirror/holds.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'

onBothStages('the two clocks of a hold', (stage) => {
  test('S18 the clock of the database jumps ahead: nothing is applied before the other one has passed too', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    await timePasses(on, 60 * 24 * 365, 'database')
    for (let run = 0; run < 3; run++) expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 20 } })
    await timePasses(on, 60, 'run')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 20 } })
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 20 } } } })
    on.expectMirrored()
  })
})

onPostgresStage('the two clocks of a hold, more', (stage) => {
  test('S18 a hold stored by an older version starts the clock of the run now', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    await timePasses(on, 600)
    await on.change(
      `update headcount.sync_state set held_deletions = (select jsonb_agg(g - 'run_since') from jsonb_array_elements(held_deletions) g)
        where held_deletions is not null`,
    )
    for (let run = 0; run < 3; run++) expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 20 } })
    await timePasses(on, 60)
    await on.sync()
    expect(await on.sync()).toMatchObject({ exit: 0 })
  })

  test('S18 O6 a clock that was set back is told of, and its time begins anew, for events too', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 30 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    on.account.remove('picnic')
    await on.sync()
    await timePasses(on, -60 * 24, 'run')
    const { exit, report } = await on.sync()
    expect({ exit, warnings: report.warnings }).toEqual({
      exit: 8,
      warnings: [
        expect.stringMatching(/^Event gala: .*a clock was set back/),
        expect.stringMatching(/^The event list: .*a clock was set back/),
      ],
    })
    expect((await on.sync()).said).not.toMatch(/set back/)
    await timePasses(on, 60)
    await on.sync()
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('what becomes of a hold', (stage) => {
  test('S6 it outlives a run in which its list cannot be read, and its clock goes on', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { held: 20 } })
    expect(heldOf(on, 'gala')).toEqual([['many_missing', 20]])
    await twoHoursPass(on)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 20 } } } })
    on.expectMirrored()
  })

  test('S6 a backfill confirms it as a sync does, and not before its time', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    expect(await on.backfill()).toMatchObject({ exit: 8 })
    expect(await on.backfill({ restart: true })).toMatchObject({ exit: 8 })
    await twoHoursPass(on)
    expect(await on.backfill({ restart: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S7 when most rows come back, the few that stay away are an ordinary loss', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    const gone = on.account.of('gala').splice(0, 20)
    await on.sync()
    on.account.of('gala').unshift(...gone.slice(5))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 5 } } } })
    on.expectMirrored()
  })

  test('S7 --accept-deletions finds nothing to apply when all is back', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 30 }))
    await on.sync()
    const gone = on.account.of('gala').splice(0, 20)
    const events = on.account.events.splice(1)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 21 } })
    on.account.of('gala').unshift(...gone)
    on.account.events.push(...events)
    const { exit, report } = await on.sync({ acceptDeletions: true })
    expect({ exit, deleted: report.rows.responses.deleted }).toEqual({ exit: 0, deleted: 0 })
    on.expectMirrored()
  })

  test('a run for named events applies their holds alone, and removes no event', async () => {
    await using on = await stage(accountOf({ gala: 40, ball: 40, picnic: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    on.account.of('ball').splice(0, 20)
    on.account.events.splice(2)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 41 } })
    await twoHoursPass(on)
    const { exit, report } = await on.sync({ events: ['gala'], acceptDeletions: true })
    expect({ exit, deleted: report.rows.responses.deleted, events: report.rows.events.deleted }).toEqual({
      exit: 8,
      deleted: 20,
      events: 0,
    })
    expect([heldOf(on, 'gala'), heldOf(on, 'ball'), heldOf(on, '')]).toEqual([
      [],
      [['many_missing', 20]],
      [['many_missing', 1]],
    ])
    expect(await on.sync()).toMatchObject({ exit: 0 })
  })

  test('it goes with its event when the event goes', async () => {
    await using on = await stage(accountOf({ gala: 12, picnic: 200 }))
    await on.sync()
    on.account.of('gala').length = 0
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 12 } })
    on.account.remove('gala')
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { held: 0, rows: { responses: { deleted: 12 } } },
    })
    on.expectMirrored()
  })
})

onPostgresStage('an event list that lost many', (stage) => {
  test('S2 a new event in it is mirrored, the missing ones stay with all their responses', async () => {
    await using on = await stage(accountOf({ gala: 15, picnic: 15, ball: 15 }))
    await on.sync()
    const before = on.mirror.rows('responses').length
    on.account.events.splice(0, 2)
    on.account.add('fair', 3)
    expect(await on.sync()).toMatchObject({
      exit: 8,
      report: {
        held: 2,
        rows: { events: { inserted: 1, deleted: 0 }, responses: { inserted: 3, deleted: 0 } },
      },
    })
    expect(on.mirror.rows('responses')).toHaveLength(before + 3)
  })

  test('S6 --accept-deletions applies the events on hold, and holds those first missed now', async () => {
    await using on = await stage(accountOf({ gala: 15, picnic: 15, ball: 15, fair: 2 }))
    await on.sync()
    on.account.remove('gala')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1 } })
    on.account.remove('picnic')
    const { exit, report } = await on.sync({ acceptDeletions: true })
    expect({ exit, rows: report.rows.events, held: report.held }).toMatchObject({
      exit: 8,
      rows: { deleted: 1 },
      held: 1,
    })
    expect(await on.query('select id from headcount.events order by id')).toEqual([
      ['ball'],
      ['fair'],
      ['picnic'],
    ])
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S1 S6 held for a while, then empty: the time that passed does not count', async () => {
    await using on = await stage(accountOf({ gala: 15, picnic: 15, ball: 15 }))
    await on.sync()
    const [gala, ...others] = on.account.events
    on.account.events = others
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1 } })
    await twoHoursPass(on)
    on.account.events = []
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 3, rows: { events: { deleted: 0 } } } })
    on.account.events = [gala, ...others]
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S6 a loss that grows while it is held: what was missed first is applied, the rest on its own clock', async () => {
    await using on = await stage(accountOf({ gala: 15, picnic: 15, ball: 15, fair: 15 }))
    await on.sync()
    on.account.remove('gala')
    await on.sync()
    await twoHoursPass(on)
    on.account.remove('picnic')
    on.account.of('ball').push(...responsesFrom(16, 1))
    const { exit, report } = await on.sync()
    expect({ exit, deleted: report.rows.events.deleted, inserted: report.rows.responses.inserted }).toEqual({
      exit: 8,
      deleted: 1,
      inserted: 1,
    })
    expect(heldOf(on, '')).toEqual([['many_missing', 1]])
  })
})
