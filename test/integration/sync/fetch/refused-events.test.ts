import { expect, test } from 'vitest'
import type { Logger, Progress } from '../../../../src/index.ts'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { list, send, type Step } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage, type Stage } from '../../../support/runs/stage.ts'
import { verifyOn } from '../../../support/runs/verify.ts'

const names = Array.from({ length: 36 }, (_, n) => `e${n}`)

function manyEvents(): ReturnType<typeof accountOf> {
  return accountOf(Object.fromEntries(names.map((name) => [name, 2])))
}

function isOf(events: readonly string[], path: string): boolean {
  return events.some((event) => path.includes(`/events/${event}/`))
}

function alwaysRefuse(on: Stage, events: readonly string[], step: Step): void {
  const well = send((request) => on.account.answer(request))
  on.service.always((socket, request) => (isOf(events, request.path) ? step : well)(socket, request))
}

function infoTo(lines: string[]): Logger {
  return { debug() {}, info: (_, message) => lines.push(message), warn() {}, error() {} }
}

async function expectFailedByThemselves(on: Stage, step: Step): Promise<void> {
  const bad = ['e2', 'e23']
  alwaysRefuse(on, bad, step)
  const lines: string[] = []
  const { exit, status, report } = await on.sync({ logger: infoTo(lines) })
  expect({ exit, status }).toEqual({ exit: 6, status: 'partial' })
  expect(report.events).toMatchObject({ due: names.length, changed: names.length - 2, failed: 2 })
  expect(new Set(report.errors.map(({ event_id }) => event_id))).toEqual(new Set(bad))
  expect(report.errors[0]?.message).toMatch(
    /rejected \d+ more times after all others had been requested|nothing was answered for 60 s/,
  )
  expect(lines.filter((line) => line.startsWith('The service rejected 2 events twice'))).toHaveLength(1)
  // Each was asked twice in its turn, and then at the back of the queue.
  const asked = on.service.requests.filter(({ path }) => isOf(bad, path))
  const lastGood = on.service.requests.findLastIndex(
    ({ path }) => path.endsWith('/responses') && !isOf(bad, path),
  )
  const before = on.service.requests.slice(0, lastGood).filter(({ path }) => isOf(bad, path))
  expect(before.length).toBeLessThanOrEqual(4)
  expect(asked.length).toBeGreaterThanOrEqual(6)
  expect(report.retries).toBe(asked.length - 2)
}

onBothStages('two events that are always refused, all others answered', (stage) => {
  test('H26 they fail by themselves, exit 6; the next run mends them', async () => {
    await using on = await stage(manyEvents())
    await expectFailedByThemselves(on, send(refusal(429)))
    on.service.always(send((request) => on.account.answer(request)))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('two events that are always refused, and when to come back', (stage) => {
  test('H26 503 with Retry-After: they fail by themselves, exit 6', async () => {
    await using on = await stage(manyEvents())
    await expectFailedByThemselves(on, send(refusal(503, { 'Retry-After': '1' })))
  })
})

onPostgresStage('events that are refused for a while', (stage) => {
  test('H26 one that is answered from the back of the queue is mirrored, and the run succeeds', async () => {
    await using on = await stage(manyEvents())
    const refused = send(refusal(429))
    on.service.at('/events/e3/responses', refused, refused, refused)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { retries: 3 } })
    on.expectMirrored()
  })

  test('H26 a backfill and verify treat them alike', async () => {
    await using on = await stage(manyEvents())
    await on.sync()
    alwaysRefuse(on, ['e7'], send(refusal(429)))
    expect(await on.backfill()).toMatchObject({ exit: 6, report: { events: { failed: 1 } } })
    expect(await verifyOn(on)).toMatchObject({ lists_compared: 35, errors_total: 1, differences_total: 0 })
  })

  test('H26 a paged list gives its memory back while it waits, and is read whole in the end', async () => {
    await using on = await stage(manyEvents())
    const path = '/events/e1/responses'
    const [one, two] = on.account.of('e1')
    const first = list([one], { Link: `<${on.service.baseUrl.href}${path}?page=2>; rel="next"` })
    const refused = send(refusal(429))
    on.service.at(path, first, first)
    on.service.at(`${path}?page=2`, refused, refused, list([two]))
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test.each([
    ['without Retry-After', {}],
    ['with Retry-After: 1', { 'Retry-After': '1' }],
  ])('H26 H27 half of all answers are 429 at random, %s: exit 0', async (_, headers) => {
    await using on = await stage(accountOf(Object.fromEntries(names.slice(0, 16).map((name) => [name, 2]))))
    let seen = 12
    // As if by chance, and the same each time.
    const isUnlucky = (): boolean =>
      ((seen = (Math.imul(seen, 1_664_525) + 1_013_904_223) >>> 0) & (2 ** 20)) > 0
    const well = send((request) => on.account.answer(request))
    const refused = send(refusal(429, headers))
    let count = 0
    on.service.always((socket, request) => {
      const isRefused = isUnlucky()
      if (isRefused) count += 1
      return (isRefused ? refused : well)(socket, request)
    })
    const progress: Progress[] = []
    const { exit, report } = await on.sync({ onProgress: (now) => progress.push(now) })
    expect({ exit, errors: report.errors }).toEqual({ exit: 0, errors: [] })
    expect(count).toBeGreaterThan(8)
    expect(report.retries).toBe(count)
    expect(progress.at(-1)?.retries).toBe(count)
    on.expectMirrored()
  })

  test('H27 a named pause is said at `info` and in the progress, with its end', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1 }))
    on.service.at('/events', send(refusal(429, { 'Retry-After': '3' })))
    const lines: string[] = []
    const progress: Progress[] = []
    await on.sync({ logger: infoTo(lines), onProgress: (now) => progress.push(now) })
    expect(lines.filter((line) => line.startsWith('The service slows the run down'))).toEqual([
      expect.stringMatching(/rejected 1 request\..* It asks to wait until \d{4}-\d\d-\d\dT/),
    ])
    expect(progress.some(({ slowdown }) => slowdown?.until instanceof Date)).toBe(true)
  })
})
