/** Ids of every form: which are taken, which are rejected, which are the same. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { expectNoChurn, runCourse, startWire } from '../../support/http/wire.ts'
import type { Course } from '../../support/http/wire.ts'

const text = (value: unknown) => JSON.stringify(value)

/** Event ids that can be used, each with one response that bears its name. */
const usable: readonly (readonly [string, string])[] = [
  ['P7 with a slash', 'a/b'],
  ['P7 with a question mark', '?x'],
  ['P7 with a hash', '#x'],
  ['P7 that looks encoded', '..%2f..%2f'],
  ['P7 an encoded dot', '%2e%2e'],
  ['P7 with a space', 'a b'],
  ['P7 with two dots inside', '../ping'],
  ['P7 with a backslash', '..\\x'],
  ['P7 with a semicolon and a colon', 'http:;a'],
  ['P7 of 255 characters beyond U+FFFF', '😀'.repeat(255)],
  ['P10 lower case', 'gala'],
  ['P10 upper case', 'Gala'],
  ['P10 with a space behind', 'gala '],
  ['P10 with a byte order mark before it', '\uFEFFgala'],
  ['P10 composed', 'caf\u00e9'],
  ['P10 decomposed', 'cafe\u0301'],
]

const refused: readonly (readonly [string, string])[] = [
  ['P7 no id', '{"title":"no id"}'],
  ['P7 null', '{"id":null}'],
  ['P7 an object', '{"id":{"a":1}}'],
  ['P7 empty', '{"id":""}'],
  ['P7 a dot', '{"id":"."}'],
  ['P7 two dots', '{"id":".."}'],
  ['P7 10 kB', `{"id":"${'x'.repeat(10_000)}"}`],
  ['P7 a fraction', '{"id":1.5}'],
  ['no object', '"gala"'],
  ['no object', 'null'],
]

const refusedResponses: readonly (readonly [string, string])[] = [
  ['P7 no id', '{"name":"no id"}'],
  ['P7 null', '{"id":null}'],
  ['P7 an object', '{"id":{"a":1}}'],
  ['P7 empty', '{"id":""}'],
  ['P7 10 kB', `{"id":"${'1'.repeat(10_000)}"}`],
  ['P7 two dots', '{"id":".."}'],
  ['P7 true', '{"id":true}'],
  ['P9 2^63', '{"id":9223372036854775808}'],
  ['no object', '[{"id":1}]'],
  [
    'P2 nesting of 100,000 with a readable id',
    `{"id":7,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ],
]

const eventItems = [...usable.map(([, id]) => `{"id":${text(id)}}`), '{"id":17}', '{"id":"odd"}']
const odd = {
  '': `[${[...eventItems, ...refused.map(([, item]) => item)].join(',')}]`,
  ...Object.fromEntries([...usable, ['', '17'] as const].map(([, id]) => [id, text([{ id: 1, name: id }])])),
  odd: `[${[...refusedResponses.map(([, item]) => item), '{"id":1,"name":"Neighbour"}'].join(',')}]`,
}
const sound = { '': `[${eventItems.join(',')}]`, odd: '[{"id":1,"name":"Neighbour"}]' }

describe.each(engines)('ids of a payload (%s)', (engine) => {
  let course: Course
  beforeAll(async () => {
    course = await runCourse(engine, odd, sound)
  })

  test.each(usable)('%s: the event %j is stored as sent, with the responses of its own path', (_, id) => {
    expect(course.stored.rows('events', id)).toHaveLength(1)
    expect(course.stored.rows('responses', id)).toMatchObject([{ id: '1', name: id }])
  })

  test('P7 the id of an event sent as an integer is stored as its digits', () => {
    expect(course.stored.rows('responses', '17')).toMatchObject([{ name: '17' }])
  })

  test('P7 what cannot be used is rejected, in both lists, and the others are stored', () => {
    const rejectsOf = (event_id: string | null) =>
      course.stored
        .rows('rejects')
        .flatMap((row) => (row['event_id'] === event_id ? [String(row['payload'])] : []))
    expect(rejectsOf(null)).toEqual(refused.map(([, item]) => item))
    expect(rejectsOf('odd')).toEqual(refusedResponses.map(([, item]) => item.slice(0, 64 * 1024)))
    expect(course.stored.rows('events')).toHaveLength(eventItems.length)
    expect(course.stored.rows('responses', 'odd')).toMatchObject([{ id: '1', name: 'Neighbour' }])
  })

  test('P2 nesting of 100,000 is rejected with its reason, its size and the beginning of its text', () => {
    const [deep] = course.stored.rows('rejects', 'odd').slice(-1)
    expect(deep).toMatchObject({
      reason: 'too_deep',
      path: `$[${refusedResponses.length - 1}]`,
      bytes: '200016',
    })
    expect(deep?.['sha256']).toMatch(/^[0-9a-f]{64}$/)
  })

  test('the report counts the rejects, and the run is held', () => {
    const rejected = refused.length + refusedResponses.length
    expect(course.first).toMatchObject({
      exit: 8,
      status: 'held',
      report: { rejected, set_aside: 0, errors: [] },
    })
    expect(course.first.report.events).toMatchObject({
      listed: eventItems.length,
      changed: eventItems.length,
    })
  })

  test('the same again writes nothing', () => {
    expectNoChurn(course)
    for (const { exit } of course.again) expect(exit).toBe(8)
  })

  test('a service that mends its answers: no reject, succeeded, and nothing else was touched', () => {
    expect(course.mended).toMatchObject({ exit: 0, status: 'succeeded', report: { rejected: 0 } })
    expect(course.sound.rows('rejects')).toEqual([])
    expect(course.sound.rows('responses')).toEqual(course.stored.rows('responses'))
  })
})

describe.each(engines)('ids that change or repeat (%s)', (engine) => {
  test('P8 an id as text one day and as a number the next is the same event and the same response', async () => {
    await using wire = await startWire(engine)
    wire.bodies.set('', '[{"id":"17","title":"A"},{"id":18,"title":"B"}]')
    wire.bodies.set('17', '[{"id":"5","name":"Ann","quantity":2},{"id":6,"quantity":"3"}]')
    expect(await wire.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 2 } } } })
    const before = await wire.look()

    wire.bodies.set('', '[{"id":17,"title":"A"},{"id":"18","title":"B"}]')
    wire.bodies.set('17', '[{"id":5,"name":"Ann","quantity":"2"},{"id":"6","quantity":3}]')
    expect(await wire.sync()).toMatchObject({ exit: 0, report: { events: { changed: 0 } } })
    const after = await wire.look()
    for (const table of ['events', 'responses'] as const)
      expect(after.rows(table)).toEqual(before.rows(table))
    expect(after.rows('response_history')).toEqual([])
  })

  test('P11 the same id twice: one row, the later version; a warning only when they differ', async () => {
    await using wire = await startWire(engine)
    const version = (name: string, updated_at?: string) => ({ id: 1, name, updated_at })
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T02:00:00+01:00']
    wire.bodies.set('', '[{"id":"equal"},{"id":"time"},{"id":"order"},{"id":"equal"}]')
    wire.bodies.set('equal', text([version('Ann'), { ...version('Ann'), id: '1' }, { id: 2 }]))
    wire.bodies.set('time', text([version('late', late), version('early', early), { id: 2 }]))
    wire.bodies.set('order', text([version('first', early), version('second', early)]))
    const { exit, report } = await wire.sync()
    expect({ exit, rejected: report.rejected }).toEqual({ exit: 0, rejected: 0 })
    expect(report.rows).toMatchObject({ events: { inserted: 3 }, responses: { inserted: 5 } })
    expect(report.warnings.toSorted()).toEqual([
      expect.stringMatching(/^Event order: ids that stand more than once .* 1 /),
      expect.stringMatching(/^Event time: ids that stand more than once .* 1 /),
    ])
    const look = await wire.look()
    expect(look.rows('responses').map(({ event_id, id, name }) => [event_id, id, name])).toEqual([
      ['equal', '1', 'Ann'],
      ['equal', '2', null],
      ['order', '1', 'second'],
      ['time', '1', 'late'],
      ['time', '2', null],
    ])
  })

  test('P7 a rejected item whose id can be read keeps its live row; one whose id cannot holds deletions', async () => {
    await using wire = await startWire(engine)
    wire.bodies.set('', '[{"id":"read"},{"id":"unread"}]')
    for (const id of ['read', 'unread']) wire.bodies.set(id, '[{"id":1},{"id":2},{"id":3}]')
    await wire.sync()
    const deep = `${'['.repeat(70)}${']'.repeat(70)}`
    wire.bodies.set('read', `[{"id":1},{"id":2,"deep":${deep}}]`)
    wire.bodies.set('unread', '[{"id":1},{"id":2.5}]')
    const { exit, report } = await wire.sync()
    expect({ exit, rejected: report.rejected, held: report.held }).toEqual({ exit: 8, rejected: 2, held: 2 })
    const look = await wire.look()
    expect(look.rows('responses', 'read').map(({ id }) => id)).toEqual(['1', '2'])
    expect(look.rows('responses', 'unread').map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(look.rows('sync_state', 'unread')).toMatchObject([
      { digest: null, held_deletions: [{ reason: 'unreadable_id', ids: ['2', '3'] }] },
    ])

    for (const id of ['read', 'unread']) wire.bodies.set(id, '[{"id":1},{"id":2},{"id":3}]')
    expect(await wire.sync()).toMatchObject({ exit: 0, report: { rejected: 0, held: 0 } })
    expect((await wire.look()).rows('response_history')).toHaveLength(1)
  })
})
