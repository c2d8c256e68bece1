import { expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

function rename(on: Stage, title: string): void {
  Object.assign(on.account.events[0] ?? {}, { title })
}

onPostgresStage('an event list whose digest is the stored one', (stage) => {
  test('vouches for its records: what a hand changed is mended by backfill, as with responses', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const stored = on.mirror.rows('events')
    await on.change(
      `update headcount.events set title = 'by hand'`,
      `insert into headcount.events (account_id, id, _run_id) values (1, 'ghost', 1)`,
    )
    expect(await on.sync({ all: true })).toMatchObject({ exit: 0, report: { events: { unchanged: 1 } } })
    expect(on.mirror.rows('events')).not.toEqual(stored)
    expect(await on.backfill()).toMatchObject({
      exit: 0,
      report: { rows: { events: { updated: 1, deleted: 1 } } },
    })
    on.expectMirrored()
  })

  test('V1 is not stored while the record of an event that failed is old, and is while it is the same', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const isStored = async () =>
      (await on.query(`select digest is not null from headcount.sync_state where event_id = ''`))[0]?.[0]
    on.account.events.push({ id: null })
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { rejected: 1 } })
    expect(await isStored()).toBe(true)
    on.account.events.pop()
    rename(on, 'Renamed')
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { rows: { events: { updated: 0 } } } })
    expect(await isStored()).toBe(false)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { updated: 1 } } } })
    on.expectMirrored()
  })

  test('vouches for nothing once a record of another list is stored, should that list not be', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    rename(on, 'Renamed')
    await on.sync({ events: ['gala'] })
    rename(on, 'The gala')
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { updated: 1 } } } })
    on.expectMirrored()
  })

  test('nor once an event that had failed is found as another list has it', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    rename(on, 'Renamed')
    on.service.at('/events/gala/responses', send(refusal(400)))
    await on.sync()
    rename(on, 'The gala')
    await on.sync({ events: ['gala'] })
    rename(on, 'Renamed')
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { updated: 1 } } } })
    on.expectMirrored()
  })
})
