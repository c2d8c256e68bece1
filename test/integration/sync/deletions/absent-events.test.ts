import { expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { list, resetBeforeHeaders, send, untilClose } from '../../../support/http/fault-server.ts'
import { heldOf, twoHoursPass } from '../../../support/mirror/holds.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** The reason and the number of the events held. */
const held = (stage: Stage) => heldOf(stage, '')

function names(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `event-${String(place).padStart(2, '0')}`)
}

/** So many events of so many responses each. */
function accountWith(events: number, responses: number): Account {
  return accountOf(Object.fromEntries(names(events).map((name) => [name, responses])))
}

onBothStages('the guard of deletions, the event list', (stage) => {
  test('an event gone with few rows: applied, with everything that hangs on it', async () => {
    await using on = await stage(accountOf({ gala: 9, picnic: 2, ball: 1 }))
    on.account.of('gala').push('no object')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { rejected: 1 } })
    on.account.remove('gala')
    const { exit, report } = await on.sync()
    expect({ exit, status: report.status }).toEqual({ exit: 0, status: 'succeeded' })
    expect(report.rows.events.deleted).toBe(1)
    expect(report.rows.responses.deleted).toBe(9)
    expect([...on.mirror.states.keys()].toSorted()).toEqual(['', 'ball', 'picnic'])
    on.expectMirrored()
  })

  test('S1 the events list suddenly empty: held, never confirmed by time, applied when the user says so', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const before = [on.mirror.rows('events'), on.mirror.rows('responses')]
    on.account.remove('gala', 'picnic')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 2, status: 'held' } })
    expect(held(on)).toEqual([['list_empty', 2]])
    await twoHoursPass(on)
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect([on.mirror.rows('events'), on.mirror.rows('responses')]).toEqual(before)
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S8 H4 deleted between list and read (404): vanished, exit 0 when small', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const listed = [...on.account.events]
    on.account.remove('gala')
    on.service.at('/events', list(listed))
    on.service.at('/events/gala/responses', send(refusal(404)))
    const { exit, report } = await on.sync()
    expect({ exit, failed: report.events.failed }).toEqual({ exit: 0, failed: 0 })
    expect(report.rows.responses.deleted).toBe(3)
    on.expectMirrored()
  })

  test('H4 still listed (410): its rows are kept, it has failed and is due next run', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    Object.assign(on.account.events[0] ?? {}, { event_at: '2024-01-01T00:00:00Z' })
    await on.sync()
    const before = on.mirror.rows('responses')
    on.service.at('/events/gala/responses', send(refusal(410)))
    const { exit, report } = await on.sync({ all: true })
    expect({ exit, failed: report.events.failed }).toEqual({ exit: 6, failed: 1 })
    expect(report.errors).toMatchObject([{ event_id: 'gala', code: 'not_found' }])
    expect(on.mirror.rows('responses')).toEqual(before)
    expect(on.service.requests.filter(({ path }) => path === '/api/v1/events')).toHaveLength(3)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { events: { due: 2 } } })
    on.expectMirrored()
  })
})

onPostgresStage('the guard of deletions, the event list, more', (stage) => {
  test('S2 shrunk by half: held by rows, applied by a later run after the time to hold', async () => {
    await using on = await stage(accountWith(4, 6))
    await on.sync()
    on.account.remove('event-00', 'event-01')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 2 } })
    expect(held(on)).toEqual([['many_missing', 2]])
    expect(await on.sync()).toMatchObject({ exit: 8 })
    await twoHoursPass(on)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('more than 10 events and more than 10 % of the events: held, though they are few rows', async () => {
    const account = accountWith(20, 0)
    account.add('gala', 300)
    await using on = await stage(account)
    await on.sync()
    on.account.remove(...names(11))
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(held(on)).toEqual([['many_missing', 11]])
    const [back] = names(1)
    on.account.add(back ?? '', 0)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { deleted: 10 } } } })
    on.expectMirrored()
  })

  test('S7 events held, then back to normal: forgotten', async () => {
    await using on = await stage(accountWith(4, 6))
    await on.sync()
    const events = on.account.events
    on.account.events = []
    expect(await on.sync()).toMatchObject({ exit: 8 })
    on.account.events = events
    expect(await on.sync()).toMatchObject({ exit: 0, report: { held: 0 } })
    on.expectMirrored()
  })

  test('signs of paging, no end mark and an unreadable id hold events too', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 1, ball: 1 }))
    await on.sync()
    on.account.remove('gala')
    on.service.at('/events', list(on.account.events, { 'X-Total-Count': '3' }))
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(held(on)).toEqual([['paging', 1]])
    await twoHoursPass(on)
    on.service.at('/events', send({ body: on.account.events }, untilClose))
    expect(await on.sync()).toMatchObject({ exit: 8 })
    on.account.events.push({ title: 'without an id' })
    expect(await on.sync({ holdForMs: 100 * 3_600_000 })).toMatchObject({ exit: 8, report: { rejected: 1 } })
    on.account.events.pop()
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('the brake counts the rows that the lists of responses lost before', async () => {
    const account = accountWith(14, 20)
    account.add('small', 1)
    await using on = await stage(account)
    await on.sync()
    for (const name of names(3)) on.account.of(name).splice(0, 9) // 27 rows of 29 that a run may remove
    on.account.remove('small') // 2 rows more
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 28 } } } })
    for (const name of names(2)) on.account.of(name).splice(0, 9)
    on.account.remove('event-13') // 21 rows more
    const { exit, report } = await on.sync()
    expect({ exit, deleted: report.rows.responses.deleted }).toEqual({ exit: 8, deleted: 18 })
    expect(held(on)).toEqual([['run_total', 1]])
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1 } })
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('H4 the second list is one of another length: only the missing event vanishes', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2, ball: 2 }))
    await on.sync()
    const listed = [...on.account.events]
    on.account.remove('gala')
    on.service.at('/events', list(listed), list([]))
    // The second look shows an empty list: that is an outage, not a deletion.
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(on.mirror.rows('events')).toHaveLength(3)
  })

  test('S8 deleted between list and read, and large: held', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 2 }))
    await on.sync()
    const listed = [...on.account.events]
    on.account.remove('gala')
    on.service.at('/events', list(listed))
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1 } })
    expect(held(on)).toEqual([['many_missing', 1]])
    expect(on.mirror.rows('responses')).toHaveLength(32)
  })

  test('S8 a new event that is gone before it was read leaves nothing', async () => {
    await using on = await stage(accountOf({ picnic: 2 }))
    on.service.at('/events', list([...on.account.events, { id: 'gala' }]))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    expect([...on.mirror.states.keys()].toSorted()).toEqual(['', 'picnic'])
    on.expectMirrored()
  })

  test('H4 when the list cannot be read again, the event has failed and its rows are kept', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const events = [...on.account.events]
    on.account.remove('gala')
    on.service.at('/events', list(events), ...Array<typeof resetBeforeHeaders>(3).fill(resetBeforeHeaders))
    const { exit, report } = await on.sync()
    expect({ exit, failed: report.events.failed }).toEqual({ exit: 6, failed: 1 })
    expect(on.mirror.rows('responses')).toHaveLength(5)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test.each<[string, (all: readonly unknown[]) => [readonly unknown[], Record<string, string>?]]>([
    ['with signs of paging', (all) => [all.slice(0, 54), { 'X-Total-Count': '55' }]],
    ['with an unreadable id', (all) => [[...all.slice(0, 54), { id: null }]]],
    ['a page long', (all) => [all.slice(0, 50)]],
    ['with no sign at all', (all) => [all.slice(0, 54)]],
  ])('H4 missing from a first list %s and not from the second: nothing is lost', async (_, flawed) => {
    await using on = await stage(accountWith(55, 2))
    await on.sync()
    const before = [on.mirror.rows('events'), on.mirror.rows('responses')]
    on.service.at('/events', list(...flawed(on.account.events)))
    on.service.at('/events/event-00/responses', send(refusal(404)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { held: 0, events: { failed: 1 } } })
    expect([on.mirror.rows('events'), on.mirror.rows('responses')]).toEqual(before)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('H4 missing from both lists: the worse sign of the two counts', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 5, ball: 4 }))
    await on.sync()
    on.account.remove('ball')
    on.service.at('/events', list(on.account.events, { 'X-Total-Count': '3' }))
    on.service.at('/events/gala/responses', send(refusal(404)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { held: 1 } })
    expect(held(on)).toEqual([['paging', 1]])
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { events: { deleted: 1 } } } })
    on.expectMirrored()
  })

  test('S6 P7 an event whose id became unreadable is still listed: time never confirms its deletion', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 5 }))
    await on.sync()
    const [gala] = on.account.events
    on.account.events[0] = { ...Object(gala), id: null }
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1, rejected: 1 } })
    expect(held(on)).toEqual([['unreadable_id', 1]])
    await twoHoursPass(on)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 1 } })
    on.account.events[0] = gala
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})
