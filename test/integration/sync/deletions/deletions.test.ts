import { expect, test } from 'vitest'
import { accountOf, responsesFrom } from '../../../support/accounts/account.ts'
import { chunked, list, send, untilClose } from '../../../support/http/fault-server.ts'
import { heldOf, twoHoursPass } from '../../../support/mirror/holds.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import { verifyOn } from '../../../support/runs/verify.ts'

onBothStages('the guard of deletions, one list', (stage) => {
  test('S3 the responses of one event suddenly empty: held, what is present elsewhere is written', async () => {
    await using on = await stage(accountOf({ gala: 2, picnic: 2 }))
    await on.sync()
    const gala = on.account.of('gala').splice(0)
    on.account.of('picnic').push(...responsesFrom(3, 1))
    const { exit, report } = await on.sync()
    expect({ exit, held: report.held, status: report.status }).toEqual({ exit: 8, held: 2, status: 'held' })
    expect(heldOf(on, 'gala')).toEqual([['list_empty', 2]])
    expect(on.mirror.states.get('gala')?.digest).toBeNull()
    expect(report.rows.responses).toEqual({ inserted: 1, updated: 0, deleted: 0 })
    on.account.of('gala').push(...gala)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('more than 10 rows and more than 10 % of a list: held; the present ones are still written', async () => {
    await using on = await stage(accountOf({ gala: 40, ball: 110, picnic: 65 }))
    await on.sync()
    on.account.of('gala').splice(0, 11) // 27 %
    on.account.of('gala').push(...responsesFrom(41, 2))
    on.account.of('ball').splice(0, 11) // exactly 10 %
    on.account.of('picnic').splice(0, 10) // few
    const { exit, report } = await on.sync({ concurrency: 1 })
    expect({ exit, held: report.held }).toEqual({ exit: 8, held: 11 })
    expect(heldOf(on, 'gala')).toEqual([['many_missing', 11]])
    expect(report.rows.responses).toEqual({ inserted: 2, updated: 0, deleted: 21 })
    expect(report.warnings.join()).toMatch(/gala.*11 deletions are held/)
  })

  test('a reject whose id cannot be read holds the deletions of its list; one whose id can be read does not', async () => {
    await using on = await stage(accountOf({ gala: 5, ball: 5 }))
    await on.sync()
    on.account.of('gala').splice(0, 1, { name: 'no id' })
    on.account.of('ball').splice(0, 1)
    on.account.of('ball').splice(1, 1, { id: 3, name: 'deep', more: nested(70) })
    const { exit, report } = await on.sync()
    expect({ exit, held: report.held, rejected: report.rejected }).toEqual({ exit: 8, held: 1, rejected: 2 })
    expect(heldOf(on, 'gala')).toEqual([['unreadable_id', 1]])
    expect(heldOf(on, 'ball')).toEqual([])
    expect(report.rows.responses.deleted).toBe(1)
    on.account.of('gala').splice(0, 1)
    on.account.of('ball').splice(1, 1)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S6 still absent after the time to hold: applied; a new absence starts its own clock', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    await on.sync()
    expect(heldOf(on, 'gala')).toEqual([['many_missing', 20]])
    await twoHoursPass(on)
    on.account.of('gala').splice(0, 1)
    const { exit, report } = await on.sync()
    expect({ exit, deleted: report.rows.responses.deleted }).toEqual({ exit: 8, deleted: 20 })
    expect(heldOf(on, 'gala')).toEqual([['many_missing', 1]])
    // Alone, the new absence looks like no outage.
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('--accept-deletions applies the holds on record, not those first seen in this run', async () => {
    await using on = await stage(accountOf({ gala: 40, ball: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync()
    on.account.of('ball').splice(0, 20)
    const { exit, report } = await on.sync({ acceptDeletions: true })
    expect({ exit, deleted: report.rows.responses.deleted }).toEqual({ exit: 8, deleted: 20 })
    expect([heldOf(on, 'gala'), heldOf(on, 'ball')]).toEqual([[], [['many_missing', 20]]])
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('the guard of deletions, one list, more', (stage) => {
  test('a list of one that becomes empty is applied', async () => {
    await using on = await stage(accountOf({ gala: 1 }))
    await on.sync()
    on.account.of('gala').pop()
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('H18 a list that lost rows and is now exactly a page long: held', async () => {
    await using on = await stage(accountOf({ gala: 51 }))
    await on.sync()
    on.account.of('gala').pop()
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(heldOf(on, 'gala')).toEqual([['page_length', 1]])
    on.account.of('gala').pop()
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('signs of paging are told by every run, not by the first one alone, and by verify', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    for (const options of [{}, {}, { all: true }]) {
      on.service.at('/events/gala/responses', list(on.account.of('gala'), { 'X-Total-Count': '500' }))
      expect((await on.sync(options)).report.warnings).toEqual([expect.stringMatching(/may have more pages/)])
    }
    on.service.at('/events/gala/responses', list(on.account.of('gala'), { 'X-Total-Count': '500' }))
    expect(await verifyOn(on)).toMatchObject({
      status: 'equal',
      warnings: [expect.stringMatching(/^Event gala: .*may have more pages/)],
    })
  })

  test('signs of paging are told of an unchanged list that showed none before, until it shows none again', async () => {
    await using on = await stage(accountOf({ gala: 3, ball: 3 }))
    for (const options of [{}, { inMemoryBytes: 1, chunkBytes: 40 }]) {
      const sync = async (count: string) => {
        for (const id of ['gala', 'ball'])
          on.service.at(
            `/events/${id}/responses`,
            list(on.account.of(id), { 'X-Total-Count': id === 'gala' ? count : '3' }),
          )
        const { report } = await on.sync({ all: true, ...options })
        expect(report).toMatchObject({ events: { changed: 0, unchanged: 2 }, held: 0 })
        // A header that was never seen is told as well.
        return report.warnings.filter((warning) => warning.startsWith('Event '))
      }
      await on.sync()
      expect(await sync('3')).toEqual([])
      const told = [expect.stringMatching(/^Event gala: .*may have more pages .*says 4 items, 3 came/)]
      expect(await sync('4')).toEqual(told)
      expect(on.mirror.states.get('gala')).toMatchObject({ digest: null })
      expect(await sync('4')).toEqual(told)
      expect(await sync('3')).toEqual([])
      expect(on.mirror.states.get('gala')?.digest).not.toBeNull()
    }
  })

  test('signs of paging hold, and time never confirms it', async () => {
    await using on = await stage(accountOf({ gala: 8 }))
    await on.sync()
    on.account.of('gala').pop()
    const paged = (): void =>
      on.service.at('/events/gala/responses', list(on.account.of('gala'), { 'X-Total-Count': '9' }))
    paged()
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(heldOf(on, 'gala')).toEqual([['paging', 1]])
    await twoHoursPass(on)
    paged()
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('a body without an end mark holds; the same body with one applies', async () => {
    await using on = await stage(accountOf({ gala: 8 }))
    await on.sync()
    on.account.of('gala').pop()
    on.service.at('/events/gala/responses', send({ body: on.account.of('gala') }, untilClose))
    expect(await on.sync()).toMatchObject({ exit: 8 })
    expect(heldOf(on, 'gala')).toEqual([['no_end_mark', 1]])
    on.service.at('/events/gala/responses', send({ body: on.account.of('gala') }, chunked))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('the brake: once removals pass 10 rows and 10 % of all, every further list that lost rows is held whole', async () => {
    const names = Array.from({ length: 13 }, (_, place) => `event-${String(place).padStart(2, '0')}`)
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 20]))))
    await on.sync()
    for (const name of names) on.account.of(name).splice(0, 9) // few each, of 27 that may go
    const { exit, report } = await on.sync({ concurrency: 1 })
    expect({ exit, deleted: report.rows.responses.deleted, held: report.held }).toEqual({
      exit: 8,
      deleted: 27,
      held: 90,
    })
    expect(names.flatMap((name) => heldOf(on, name))).toEqual(names.slice(3).map(() => ['run_total', 9]))
    // The sum of the next run is its own, but what this one held stays on hold.
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 90 } })
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S6 the time to hold can be set', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    expect(await on.sync({ holdForMs: 0 })).toMatchObject({ exit: 8 })
    // The first run that sees that the time has passed, and the second.
    expect(await on.sync({ holdForMs: 0 })).toMatchObject({ exit: 8 })
    expect(await on.sync({ holdForMs: 0 })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('S7 held, then back to normal: the hold is forgotten, and nothing was touched', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    await on.sync()
    const before = on.mirror.rows('responses')
    const gone = on.account.of('gala').splice(0, 20)
    await on.sync()
    on.account.of('gala').unshift(...gone)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { held: 0 } })
    expect(on.mirror.rows('responses')).toEqual(before)
    on.expectMirrored()
  })

  test('a held list is read again although its body and its event are old', async () => {
    await using on = await stage(accountOf({ gala: 40 }))
    Object.assign(on.account.events[0] ?? {}, { event_at: '2024-01-01T00:00:00Z' })
    await on.sync()
    on.account.of('gala').splice(0, 20)
    await on.sync({ all: true })
    expect(await on.sync()).toMatchObject({ exit: 8, report: { events: { due: 1 } } })
  })

  test('S4 one response gone: applied at once, into history', async () => {
    await using on = await stage(accountOf({ gala: 12, picnic: 2 }))
    await on.sync()
    on.account.of('gala').splice(4, 1)
    const { exit, report } = await on.sync()
    expect({ exit, deleted: report.rows.responses.deleted }).toEqual({ exit: 0, deleted: 1 })
    on.expectMirrored()
  })
})

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels))
}
