import { expect, test } from 'vitest'
import { accountOf, refusal, responsesFrom } from '../../../support/accounts/account.ts'
import { list, raw, resetBeforeHeaders, send, startFaultServer } from '../../../support/http/fault-server.ts'
import type { Answering, Step } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** The live tables, history and digests. */
function kept({ mirror }: Stage): unknown {
  const { rows, states } = mirror
  const digests = [...states].map(([id, { digest }]) => [id, digest])
  return [rows('events'), rows('responses'), rows('event_history'), rows('response_history'), digests]
}

function times(count: number, answering: Answering): Step[] {
  return Array.from({ length: count }, () => send(answering))
}

const html = { headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><title>Log in</title>' }
const refused = (status: number) => refusal(status, { 'Retry-After': '0' })

/** How each answer ends a run when it comes to /ping or /events, and a single event when it comes there. */
const answers: readonly [
  string,
  Answering,
  { exit: number; code: string; tries: number; eventCode?: string },
][] = [
  ['H1 401', refused(401), { exit: 3, code: 'key_refused', tries: 1 }],
  ['H1 403', refused(403), { exit: 3, code: 'key_refused', tries: 1 }],
  ['H3 404', refused(404), { exit: 2, code: 'usage', tries: 1, eventCode: 'not_found' }],
  ['H9 500', refused(500), { exit: 4, code: 'unreachable', tries: 3 }],
  ['H9 502', refused(502), { exit: 4, code: 'unreachable', tries: 3 }],
  ['H9 503', refusal(503), { exit: 4, code: 'unreachable', tries: 3 }],
  ['H9 504', refused(504), { exit: 4, code: 'unreachable', tries: 3 }],
  ['H10 400', refused(400), { exit: 7, code: 'contract', tries: 1 }],
  ['H10 422', refused(422), { exit: 7, code: 'contract', tries: 1 }],
  ['H11 200 with an HTML log-in page', html, { exit: 7, code: 'contract', tries: 1 }],
  ['H13 200 with an empty body', { body: '' }, { exit: 7, code: 'contract', tries: 1 }],
  ['H13 204', { status: 204 }, { exit: 7, code: 'contract', tries: 1 }],
  [
    'H12 200 with an object for a list, and a list for an object',
    ({ path }) => ({ body: path.endsWith('ping') ? [] : { error: testKey } }),
    { exit: 7, code: 'contract', tries: 1 },
  ],
]

onPostgresStage(
  'an answer to /ping or /events that cannot be used: the run ends, and everything is kept',
  (stage) => {
    test.each(answers)('%s', async (_, answering, { exit, code, tries }) => {
      await using on = await stage(accountOf({ gala: 3 }))
      await on.sync()
      const before = kept(on)
      on.account.remove('gala')
      for (const path of ['/ping', '/events']) {
        const seen = on.service.requests.length
        on.service.at(path, ...times(4, answering))
        const ended = await on.sync()
        expect(ended).toMatchObject({
          exit,
          status: 'failed',
          error: { code },
          report: { errors: [{ event_id: null, code }] },
        })
        const asked = on.service.requests.slice(seen).filter((request) => request.path === `/api/v1${path}`)
        expect(asked).toHaveLength(tries)
        expect(kept(on)).toEqual(before)
        on.service.at(path)
      }
    })

    test('H3 the hint names the base address', async () => {
      await using on = await stage(accountOf({ gala: 3 }))
      const { exit, error } = await on.sync({ baseUrl: `${on.service.origin}/api/v2` })
      expect(exit).toBe(2)
      expect(error?.message).toMatch(/base address.*`baseUrl`.*\/api\/v2.*\/api\/v1/s)
    })
  },
)

onPostgresStage(
  'an answer for one event that cannot be used: that event fails, and its rows are kept',
  (stage) => {
    test.each(answers)('%s', async (_, answering, { code, eventCode = code, tries }) => {
      await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
      await on.sync()
      const digest = on.mirror.states.get('gala')?.digest
      on.account.of('gala').splice(0)
      on.account.of('picnic').pop()
      on.service.at('/events/gala/responses', ...times(4, answering))
      const { exit, report } = await on.sync()
      expect({ exit, status: report.status }).toEqual({ exit: 6, status: 'partial' })
      expect(report).toMatchObject({ retries: tries - 1, events: { failed: 1, changed: 1 }, errors_total: 1 })
      expect(report.errors).toMatchObject([{ event_id: 'gala', code: eventCode }])
      expect(on.mirror.states.get('gala')).toMatchObject({ digest, error_code: eventCode })
      expect(on.mirror.rows('responses')).toHaveLength(4)
    })
  },
)

onBothStages('an answer for one event that is hardly HTTP', (stage) => {
  test('H25 a status below 100 or above 599, or another protocol: that event fails, all others are mirrored', async () => {
    await using on = await stage(accountOf({ a: 2, b: 2, c: 2, d: 2, e: 2 }))
    const broken = { a: 'HTTP/1.1 099 X', b: 'HTTP/1.1 999 X', d: 'HTTP/1.1 101 X' }
    for (const [id, first] of Object.entries(broken)) {
      const step = raw(`${first}\r\nContent-Length: 2\r\n\r\n[]`)
      on.service.at(`/events/${id}/responses`, ...Array.from({ length: 3 }, () => step))
    }
    const { exit, status, report } = await on.sync({ concurrency: 1 })
    expect({ exit, status }).toEqual({ exit: 6, status: 'partial' })
    expect(report).toMatchObject({ events: { failed: 3, changed: 2 }, errors_total: 3 })
    expect(new Map(report.errors.map(({ event_id, code }) => [event_id, code]))).toEqual(
      new Map([
        ['a', 'unreachable'],
        ['b', 'contract'],
        ['d', 'unreachable'],
      ]),
    )
    expect(on.mirror.rows('responses')).toHaveLength(4)
    for (const id of Object.keys(broken)) on.service.at(`/events/${id}/responses`)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onBothStages('a key that is refused for events', (stage) => {
  test('H2 three refusals without a success between end the run with exit 3; what was read is kept', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }))
    for (const id of ['b', 'd', 'e', 'f']) on.service.at(`/events/${id}/responses`, send(refusal(403)))
    const { exit, status, report } = await on.sync({ concurrency: 1 })
    expect({ exit, status }).toEqual({ exit: 3, status: 'failed' })
    // `b` failed by itself, for `c` was a success after it.
    expect(report.errors.map(({ event_id }) => event_id)).toEqual(['b', 'd', 'e', 'f', null])
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('a service that asks for patience', (stage) => {
  test.each([
    ['H5 in seconds', () => ({ 'Retry-After': '1' })],
    [
      'H6 with a date, measured by the clock of the service',
      () => ({ Date: 'Sun, 18 Oct 2020 12:00:00 GMT', 'Retry-After': 'Sun, 18 Oct 2020 12:00:01 GMT' }),
    ],
  ])('%s: waited for by all, then the run goes on', async (_, headers) => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    on.service.at('/events', send({ status: 429, headers: headers() }))
    const { exit, ms } = await on.sync()
    expect(exit).toBe(0)
    expect(ms).toBeGreaterThanOrEqual(1000)
    on.expectMirrored()
  })

  test.each([
    ['H8 nonsense counts as absent', { 'Retry-After': 'soon' }, 1],
    ['H6 a date that has passed', { 'Retry-After': 'Sun, 18 Oct 2020 12:00:00 GMT' }, 1],
  ])('%s: tried again at once', async (_, headers, retries) => {
    await using on = await stage(accountOf({ gala: 3 }))
    on.service.at('/events', send({ status: 503, headers }))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { retries } })
    on.expectMirrored()
  })

  test('H8 longer than the run may wait, on /ping: exit 4 at once, and it says until when', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    on.service.at('/ping', send({ status: 429, headers: { 'Retry-After': '901' } }))
    const { exit, error, report, ms } = await on.sync()
    expect({ exit, code: error?.code, retries: report.retries }).toEqual({
      exit: 4,
      code: 'paused_by_service',
      retries: 0,
    })
    expect(error?.message).toMatch(/come back at \d{4}-\d\d-\d\dT/)
    expect(ms).toBeLessThan(8000)
  })

  test('H2 two refusals, a success, two refusals: partial', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1, d: 1, e: 1 }))
    for (const id of ['a', 'b', 'd', 'e']) on.service.at(`/events/${id}/responses`, send(refusal(401)))
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 6, report: { events: { failed: 4 } } })
    expect(on.mirror.rows('responses')).toHaveLength(1)
  })
})

onBothStages('a service that asks for more patience than a run has', (stage) => {
  test('H8 on an event: what was read is stored, the rest waits, partial', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1, d: 1 }))
    await on.sync()
    for (const id of ['a', 'b', 'c', 'd']) on.account.of(id).push(...responsesFrom(2, 1))
    on.service.at('/events/c/responses', send({ status: 429, headers: { 'Retry-After': '3600' } }))
    const { exit, status, error, report, ms } = await on.sync({ concurrency: 1 })
    expect({ exit, status, error }).toEqual({ exit: 6, status: 'partial', error: null })
    expect(report.errors).toMatchObject([
      { event_id: 'c', code: 'paused_by_service' },
      { event_id: null, code: 'paused_by_service' },
    ])
    expect(report.events).toMatchObject({ due: 4, changed: 2, failed: 1 })
    expect(ms).toBeLessThan(8000)
    expect(on.service.requests.filter(({ path }) => path.includes('/d/'))).toHaveLength(1)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('redirects', (stage) => {
  test('H15 on the same origin: followed', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    on.service.at('/events', send({ status: 307, headers: { Location: '/moved' } }))
    const served = on.account.answer.bind(on.account)
    on.service.always(
      send((request) => served(request.path === '/moved' ? { ...request, path: '/api/v1/events' } : request)),
    )
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test.each(['/ping', '/events', '/events/gala/responses'])(
    'H16 of %s to another origin: refused, and the key is not sent there',
    async (path) => {
      await using on = await stage(accountOf({ gala: 3, picnic: 1 }))
      await on.sync()
      await using other = await startFaultServer()
      other.always(list([]))
      on.service.at(path, send({ status: 302, headers: { Location: `${other.baseUrl.href}/events` } }))
      const { exit, report } = await on.sync()
      expect(exit).toBe(path.includes('gala') ? 6 : 2)
      expect(report.errors[0]?.code).toBe(path.includes('gala') ? 'foreign_origin' : 'usage')
      expect(other.connections).toBe(0)
      expect(on.mirror.rows('responses')).toHaveLength(4)
    },
  )
})

onPostgresStage('H24 the service stops in the middle of a run and comes back', (stage) => {
  test('what could not be read has failed; the next run mends it', async () => {
    const names = Array.from({ length: 12 }, (_, place) => `event-${place}`)
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 2]))))
    let answered = 0
    on.service.always((socket, request) => {
      answered += 1
      const step = answered > 7 ? resetBeforeHeaders : send(on.account.answer(request))
      return step(socket, request)
    })
    const { exit, report } = await on.sync({ concurrency: 2 })
    expect({ exit, status: report.status }).toEqual({ exit: 6, status: 'partial' })
    expect(report.events).toMatchObject({ due: 12, changed: 5, failed: 7 })
    expect(report.retries).toBeLessThanOrEqual(3)
    on.service.always(send((request) => on.account.answer(request)))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})
