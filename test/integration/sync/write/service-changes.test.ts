import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { NORMALISER_VERSION } from '../../../../src/normalise/version.ts'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

onBothStages('what the service means', (stage) => {
  test('S5 gone and back: restored, and history shows the gap', async () => {
    await using on = await stage(accountOf({ gala: 12 }))
    await on.sync()
    const [gone] = on.account.of('gala').splice(0, 1)
    await on.sync()
    on.account.of('gala').unshift(gone)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 1 } } } })
    on.expectMirrored()
    const [left, back] = on.mirror.versions
      .filter(({ response_id }) => response_id === '1')
      .toSorted((a, b) => a.from - b.from)
    expect(left).toMatchObject({ end: 'delete' })
    expect(back?.firstSeen).toBeGreaterThan(left?.to ?? Infinity)
  })

  test('an item that changes leaves its former version; a change in a slot or a payment is one of its response', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    on.account
      .of('gala')
      .splice(
        0,
        3,
        responseItem(1, { amount: '12.51' }),
        responseItem(2, { slots: [] }),
        responseItem(3, { name: null }),
      )
    const { exit, report } = await on.sync()
    expect(exit).toBe(0)
    expect(report.rows).toMatchObject({
      responses: { inserted: 0, updated: 3, deleted: 0 },
      payments: { inserted: 0, updated: 1, deleted: 0 },
      slots: { inserted: 0, updated: 0, deleted: 2 },
    })
    expect(on.mirror.versions.filter(({ end }) => end === 'update')).toHaveLength(3)
    on.expectMirrored()
  })

  test('S9 the order of both lists shuffled: nothing is written', async () => {
    await using on = await stage(accountOf({ gala: 5, picnic: 4, ball: 3 }))
    await on.sync()
    const before = [on.mirror.rows('events'), on.mirror.rows('responses'), on.mirror.rows('slots')]
    on.account.events.reverse()
    for (const id of ['gala', 'picnic', 'ball']) on.account.of(id).reverse()
    const { exit, report } = await on.sync()
    expect(exit).toBe(0)
    expect(report.events).toMatchObject({ due: 3, unchanged: 3, changed: 0 })
    expect([on.mirror.rows('events'), on.mirror.rows('responses'), on.mirror.rows('slots')]).toEqual(before)
    on.expectMirrored()
  })

  test('S15 our own version changes: lists are read and written again, no history is made', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    Object.assign(on.account.events[0] ?? {}, { event_at: '2024-01-01T00:00:00Z' })
    await on.sync()
    const changed = on.mirror.versions.map(({ from }) => from)
    await on.change(
      `update headcount.responses set message = 'as an older version read it'`,
      `update headcount.events set location = 'as an older version read it'`,
      ...readBefore(on),
    )
    const { exit, report } = await on.sync()
    expect(exit).toBe(0)
    expect(report.rows).toMatchObject({ events: { updated: 1 }, responses: { updated: 3 } })
    expect([on.mirror.rows('event_history'), on.mirror.rows('response_history')]).toEqual([[], []])
    expect(on.mirror.versions.map(({ from }) => from)).toEqual(changed)
    on.expectMirrored()
    expect(await on.sync()).toMatchObject({ exit: 0, report: { events: { due: 0 } } })
  })
})

onPostgresStage('our own version changes', (stage) => {
  test('S15 after an event failed: the record that it had in between is in history', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    Object.assign(on.account.events[0] ?? {}, { title: 'Renamed' })
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { rows: { events: { updated: 0 } } } })
    await on.change(
      `update headcount.sync_state set normaliser_version = ${NORMALISER_VERSION - 1} where event_id = '' and digest is null`,
    )
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { updated: 1 } } } })
    expect(on.mirror.rows('event_history')).toEqual([expect.stringContaining('The gala')])
    on.expectMirrored()
  })

  test('S15 and a run dies in the middle: what the next one rewrites is no history either', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    await on.change(
      `update headcount.events set location = 'as an older version read it'`,
      ...readBefore(on),
      `create function no_picnic() returns trigger language plpgsql as $$ begin raise 'no picnic'; end $$`,
      `create trigger no_picnic before update on headcount.events
         for each row when (new.id = 'picnic') execute function no_picnic()`,
    )
    expect(await on.sync({ batchRows: 1, concurrency: 1 })).toMatchObject({ exit: 5 })
    await on.change('drop trigger no_picnic on headcount.events')
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { updated: 1 } } } })
    expect(on.mirror.rows('event_history')).toEqual([])
    on.expectMirrored()
  })
})

/** Every list as an older normaliser would have stored it. */
function readBefore({ account, mirror }: Stage): string[] {
  const older = NORMALISER_VERSION - 1
  return [...mirror.states.keys()].map((id) => {
    const body = JSON.stringify(id === '' ? account.events : account.of(id))
    return `update headcount.sync_state set normaliser_version = ${older}, digest = '\\x${digest(older, body)}' where event_id = '${id}'`
  })
}

/** The digest of a list of one page, as an older normaliser would have stored it. */
function digest(normaliser: number, body: string): string {
  const ofBody = createHash('sha256').update(body).digest()
  return createHash('sha256').update(`headcount normaliser ${normaliser}\n`).update(ofBody).digest('hex')
}

onPostgresStage('events that fail, go, and come back', (stage) => {
  test('S11 half the events fail: partial, and the next run starts with them', async () => {
    const names = Array.from({ length: 10 }, (_, place) => `event-${place}`)
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 1]))))
    const failing = names.filter((_, place) => place % 2 === 1)
    for (const name of failing) on.service.at(`/events/${name}/responses`, send(refusal(422)))
    expect(await on.sync()).toMatchObject({
      exit: 6,
      report: { events: { failed: 5, changed: 5 }, errors_total: 5 },
    })
    const seen = on.service.requests.length
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 0, report: { events: { due: 10 } } })
    const paths = on.service.requests.slice(seen + 2).map(({ path }) => path.split('/').at(-2))
    expect(paths.slice(0, 5)).toEqual(failing)
    on.expectMirrored()
  })

  test('S12 a run is not `succeeded` while anything is rejected, though nothing changed', async () => {
    await using on = await stage(accountOf({ gala: 1 }))
    on.account.of('gala').push({ name: 'no id' })
    expect(await on.sync()).toMatchObject({ exit: 8, report: { status: 'held', rejected: 1 } })
    expect(await on.sync()).toMatchObject({ exit: 8, report: { events: { unchanged: 1 }, rejected: 1 } })
    expect(await on.backfill()).toMatchObject({ exit: 8 })
    on.account.of('gala').pop()
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S12 an old event that waits and holds deletions or rejects keeps the run from `succeeded`', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 1 }))
    Object.assign(on.account.events[0] ?? {}, { event_at: '2024-01-01T00:00:00Z' })
    on.account.of('gala').push('no object')
    await on.sync()
    const { exit, report } = await on.sync()
    expect({ exit, due: report.events.due, rejected: report.rejected }).toEqual({
      exit: 8,
      due: 1,
      rejected: 1,
    })
  })

  test("S13 an event's id reused for another event: the new one is mirrored, the old one is in history", async () => {
    await using on = await stage(accountOf({ gala: 5 }))
    await on.sync()
    on.account.remove('gala')
    on.account.add('gala', 0, { title: 'Another gala', location: 'Elsewhere' })
    on.account.of('gala').push(responseItem(100), responseItem(101))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
    expect(on.mirror.versions.filter(({ end }) => end === 'delete')).toHaveLength(5)
    expect(on.mirror.versions.filter(({ end }) => end === 'update')).toMatchObject([
      { event_id: 'gala', response_id: null },
    ])
  })

  test('S14 an event deleted, then back with an equal list: its responses are back', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const [events, gala] = [on.account.events, on.account.of('gala')]
    on.account.remove('gala')
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
    on.account.events = events
    on.account.responses.set('gala', gala)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 3 } } } })
    on.expectMirrored()
  })
})

onPostgresStage('an edited response', (stage) => {
  test('stays on its page with its payment, so that no index is written', async () => {
    await using on = await stage(accountOf({ gala: 600 }), { isOwn: true })
    await on.sync()
    const edited = Array.from({ length: 20 }, (_, place) => 1 + place * 30)
    for (const id of edited)
      on.account.of('gala').splice(id - 1, 1, responseItem(id, { amount: '13', name: 'Another' }))
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { rows: { responses: { updated: 20 }, payments: { updated: 20 } } },
    })
    on.expectMirrored()
    const updates = () =>
      on.query(
        `select relname, n_tup_upd::int, n_tup_hot_upd::int from pg_stat_user_tables
          where schemaname = 'headcount' and relname in ('responses', 'payments') order by relname`,
      )
    // The statistics come in when the connections of the run have ended.
    await expect.poll(updates, { timeout: 60_000 }).toEqual([
      ['payments', 20, 20],
      ['responses', 20, 20],
    ])
  })
})
