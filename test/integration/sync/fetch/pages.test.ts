/** Lists in several pages: what one reading lacks is absent only when a second one lacks it too. */
import { expect, test } from 'vitest'
import { accountOf, refusal, responsesFrom } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { heldOf } from '../../../support/mirror/holds.ts'
import { inPages, once } from '../../../support/accounts/paged-account.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Ended, Stage } from '../../../support/runs/stage.ts'
import { verifyOn } from '../../../support/runs/verify.ts'

const GALA = '/events/gala/responses'
const OLD = '2024-01-01T00:00:00Z'

/** From now on every list comes in pages of four. */
function servePages(on: Stage, before?: Parameters<typeof inPages>[2]): void {
  on.service.always(send(inPages(on.account, 4, before)))
}

/** The first response is withdrawn after its page was read: the fifth slides onto that page, unseen. */
function withdrawWhileRead(on: Stage): void {
  servePages(
    on,
    once(GALA, 2, () => void on.account.of('gala').shift()),
  )
}

const unconfirmedOf = ({ mirror }: Stage, id: string) => mirror.states.get(id)?.unconfirmed
const responseIds = ({ mirror }: Stage) =>
  mirror.rows('responses').map((row) => (JSON.parse(row) as { id: number }).id)
const inOrder = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)
const requestsFor = ({ service }: Stage, list: string) =>
  service.requests.filter(({ path }) => path.split('?')[0] === `/api/v1${list}`).length

/** What a dry run must foretell. */
function outcomeOf({ exit, report }: Ended): object {
  const { status, events, rows, held, unconfirmed, requests } = report
  return { exit, status, events, rows, held, unconfirmed, requests }
}

onBothStages('a list in several pages', (stage) => {
  test('P20 a response slides onto a page that was read already: nothing that the service has is deleted', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    withdrawWhileRead(on)
    const { exit, report } = await on.sync()
    // The second reading has the one that slid, and lacks the one that is gone: no two readings lack either.
    expect({ exit, held: report.held, rows: report.rows.responses }).toMatchObject({
      exit: 0,
      held: 0,
      rows: { inserted: 0, updated: 0, deleted: 0 },
    })
    expect(inOrder(responseIds(on))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(unconfirmedOf(on, 'gala')).toEqual(['1'])
    expect(on.mirror.states.get('gala')?.digest).toBeNull()
    expect(on.mirror.rows('response_history')).toEqual([])
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 1 } } } })
    on.expectMirrored()
  })

  test('P20 an event slides onto a page that was read already: it stays, with all its responses', async () => {
    await using on = await stage(accountOf({ a: 1, b: 2, c: 1, d: 1, e: 3, f: 1 }))
    servePages(on)
    await on.sync()
    // Its responses are still answered: only the event list lacks it.
    const unlist = (): void => void on.account.events.shift()
    servePages(on, once('/events', 2, unlist))
    const { exit, report } = await on.sync()
    expect({ exit, rows: report.rows.events }).toMatchObject({ exit: 0, rows: { deleted: 0 } })
    expect(on.mirror.rows('events')).toHaveLength(6)
    expect(on.mirror.rows('event_history')).toEqual([])
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { rows: { events: { deleted: 1 }, responses: { deleted: 1 } } },
    })
    on.account.responses.delete('a')
    on.expectMirrored()
  })

  test('P20 a response that is gone is deleted by a second reading in the same run; an equal list is read once', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(2, 1)
    const before = requestsFor(on, GALA)
    const { exit, report } = await on.sync()
    expect({ exit, events: report.events, rows: report.rows.responses }).toMatchObject({
      exit: 0,
      events: { due: 1, changed: 1, unchanged: 0 },
      rows: { deleted: 1 },
    })
    expect(requestsFor(on, GALA) - before).toBe(4)
    on.expectMirrored()
    expect(on.mirror.states.get('gala')?.digest).not.toBeNull()
    expect(await on.sync()).toMatchObject({ exit: 0, report: { requests: 4 } })
    expect(await on.backfill()).toMatchObject({ exit: 0, report: { requests: 4 } })
  })
})

onPostgresStage('a list in several pages, more', (stage) => {
  test('P20 a response that slides back is seen twice, and stored once', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    const insert = (): void => void on.account.of('gala').unshift(...responsesFrom(20, 1))
    servePages(on, once(GALA, 2, insert))
    const { exit, report } = await on.sync()
    // The new one came onto a page that was read already: the next run has it.
    expect({ exit, rows: report.rows.responses }).toMatchObject({
      exit: 0,
      rows: { inserted: 0, updated: 0, deleted: 0 },
    })
    expect(inOrder(responseIds(on))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 1 } } } })
    on.expectMirrored()
  })

  test('P20 more than ten are read again by the next run, although the list is as it was: then the guard decides', async () => {
    await using on = await stage(accountOf({ gala: 200, ball: 40 }))
    for (const event of on.account.events) Object.assign(Object(event), { event_at: OLD })
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(0, 12)
    on.account.of('ball').splice(0, 12)
    const first = await on.sync({ all: true })
    expect(first).toMatchObject({ exit: 0, status: 'succeeded', report: { held: 0, unconfirmed: 24 } })
    expect(unconfirmedOf(on, 'gala')).toHaveLength(12)
    expect(on.mirror.rows('responses')).toHaveLength(240)
    const { exit, report } = await on.sync()
    expect({ exit, due: report.events.due, held: report.held, unconfirmed: report.unconfirmed }).toEqual({
      exit: 8,
      due: 2,
      held: 12,
      unconfirmed: 0,
    })
    expect(report.rows.responses.deleted).toBe(12)
    expect([heldOf(on, 'gala'), heldOf(on, 'ball')]).toEqual([[], [['many_missing', 12]]])
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('P20 what changes between the two readings is counted in both, as history has it', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(2, 1)
    const rename = (name: string) => Object.assign(Object(on.account.of('gala')[0]), { name })
    rename('Ada')
    let readings = 0
    servePages(on, (list, page) => {
      if (list.endsWith(GALA) && page === 1 && ++readings === 2) rename('Grace')
    })
    const { exit, report } = await on.sync()
    expect({ exit, rows: report.rows.responses, changed: report.events.changed }).toMatchObject({
      exit: 0,
      rows: { inserted: 0, updated: 2, deleted: 1 },
      changed: 1,
    })
    expect(on.mirror.rows('response_history')).toHaveLength(3)
    on.expectMirrored()
  })

  test('P20 second readings take three requests of a short run at most: the other lists wait for the next one', async () => {
    const names = ['a', 'b', 'c', 'd']
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 6]))))
    servePages(on)
    await on.sync()
    for (const name of names) on.account.of(name).splice(1, 1)
    const before = on.service.requests.length
    const first = await on.sync()
    expect(first).toMatchObject({ exit: 0, report: { unconfirmed: 3, rows: { responses: { deleted: 1 } } } })
    // /ping, the event list, four lists of two pages; and one of these once more.
    expect(on.service.requests.length - before).toBe(1 + 1 + 8 + 2)
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { unconfirmed: 0, requests: 1 + 1 + 8, rows: { responses: { deleted: 3 } } },
    })
    on.expectMirrored()
  })

  test('P20 a second reading that fails leaves it unconfirmed, is told, and fails nothing else', async () => {
    await using on = await stage(accountOf({ gala: 9, picnic: 2 }))
    servePages(on)
    await on.sync()
    const gone = on.account.of('gala').splice(2, 1)
    const pages = inPages(on.account, 4)
    let readings = 0
    on.service.always(
      send((request) => {
        if (request.path === `/api/v1${GALA}`) readings += 1
        return readings < 2 || !request.path.includes('gala') ? pages(request) : refusal(403)(request)
      }),
    )
    const { exit, report } = await on.sync()
    expect({ exit, errors: report.errors_total, unconfirmed: report.unconfirmed }).toEqual({
      exit: 0,
      errors: 0,
      unconfirmed: 1,
    })
    expect(report.warnings.join()).toMatch(/^Event gala: .*could not be read a second time.*403/)
    servePages(on)
    expect(unconfirmedOf(on, 'gala')).toEqual(['3'])
    on.account.of('gala').splice(2, 0, ...gone)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { unconfirmed: 0 } })
    on.expectMirrored()
  })

  test('P20 interrupted between the two readings: unconfirmed, and the next run reads it again', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(2, 1)
    const interrupt = new AbortController()
    let readings = 0
    servePages(on, (list, page) => {
      if (list.endsWith(GALA) && page === 1 && ++readings === 2) interrupt.abort()
    })
    expect(await on.sync({ signal: interrupt.signal })).toMatchObject({ exit: 143, status: 'interrupted' })
    expect(unconfirmedOf(on, 'gala')).toEqual(['3'])
    expect(on.mirror.states.get('gala')?.digest).toBeNull()
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 1 } } } })
    on.expectMirrored()
  })

  test('P20 a backfill that was broken off reads an unconfirmed list again', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 2 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(0, 12)
    on.service.at('/events/picnic/responses', send(refusal(500)), send(refusal(500)), send(refusal(500)))
    expect(await on.backfill()).toMatchObject({ exit: 6, report: { unconfirmed: 12 } })
    const before = requestsFor(on, GALA)
    expect(await on.backfill()).toMatchObject({ exit: 8, report: { unconfirmed: 0, held: 12 } })
    expect(requestsFor(on, GALA) - before).toBe(7)
  })

  test('P20 a list too large for memory is read twice in the same way', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    const large = { inMemoryBytes: 1, chunkBytes: 300 }
    await on.sync(large)
    withdrawWhileRead(on)
    expect(await on.sync(large)).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 0 } } } })
    expect(unconfirmedOf(on, 'gala')).toEqual(['1'])
    expect(await on.sync(large)).toMatchObject({ exit: 0, report: { rows: { responses: { deleted: 1 } } } })
    on.expectMirrored()
  })

  test('P20 a run of named events reads theirs twice; one of another account forgets what was unconfirmed', async () => {
    await using on = await stage(accountOf({ gala: 9, ball: 40 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(2, 1)
    expect(await on.sync({ events: ['gala'] })).toMatchObject({
      exit: 0,
      report: { rows: { responses: { deleted: 1 } } },
    })
    on.account.of('ball').splice(0, 12)
    expect(await on.sync({ events: ['ball'] })).toMatchObject({ exit: 0, report: { unconfirmed: 12 } })
    on.account.email = 'new@example.org'
    expect(await on.sync()).toMatchObject({ exit: 0, report: { unconfirmed: 12, held: 0 } })
    expect(await on.sync()).toMatchObject({ exit: 8, report: { unconfirmed: 0, held: 12 } })
  })

  test('P20 a list that came in pages and is one page now is believed at once; one page is never read twice', async () => {
    await using on = await stage(accountOf({ gala: 9 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(2, 1)
    on.service.always(send((request) => on.account.answer(request)))
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { requests: 3, rows: { responses: { deleted: 1 } } },
    })
    on.expectMirrored()
  })

  test('P20 a dry run reads twice as the run does, and plans what that will delete', async () => {
    await using on = await stage(accountOf({ gala: 21, ball: 9 }))
    servePages(on)
    await on.sync()
    const expectForetold = async (counts: object): Promise<void> => {
      const dry = await on.run('sync', { dryRun: true })
      expect(outcomeOf(dry)).toEqual(outcomeOf(await on.sync()))
      expect(dry.report.plan?.responses.counts).toEqual(counts)
    }
    on.account.of('ball').splice(4, 1)
    await expectForetold({ inserted: 0, updated: 0, deleted: 1, held: 0 })
    on.account.of('gala').splice(0, 12)
    await expectForetold({ inserted: 0, updated: 0, deleted: 0, held: 0 })
    await expectForetold({ inserted: 0, updated: 0, deleted: 0, held: 12 })
    // Two more, in a list that is read twice: what is held of it is planned once.
    on.account.of('gala').splice(0, 2)
    on.account.of('gala').push(...responsesFrom(90, 1))
    Object.assign(Object(on.account.of('ball')[0]), { name: 'Another' })
    await expectForetold({ inserted: 1, updated: 1, deleted: 0, held: 14 })
  })

  test('P20 verify calls no shift a difference, nor a row that is not confirmed absent', async () => {
    await using on = await stage(accountOf({ gala: 40, ball: 9 }))
    servePages(on)
    await on.sync()
    on.account.of('gala').splice(0, 12)
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({ status: 'equal', unconfirmed: 12, lists_compared: 2 })
    const withdraw = (): void => void on.account.of('ball').shift()
    servePages(on, once('/events/ball/responses', 2, withdraw))
    expect(await verifyOn(on)).toMatchObject({
      differences_total: 0,
      lists_compared: 1,
      lists_changed: ['ball'],
    })
  })
})
