/** Texts and keys that no database holds as they are, or that JavaScript holds badly. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { eventsText, expectNoChurn, runCourse } from '../../support/http/wire.ts'
import type { Course, Row } from '../../support/http/wire.ts'

const textFields = ['name', 'email', 'message', 'rsvp']

/** A response with this text in every field of text, in a slot's, and in keys at both levels. */
function itemOf(id: number, escape: string): string {
  const text = `"a${escape}b"`
  const fields = textFields.map((field) => `"${field}":${text}`).join(',')
  const slot = `{"name":${text},"k${escape}":${text}}`
  return `{"id":${id},${fields},"k${escape}":[${text}],"slots":[${slot}]}`
}

function eventOf(id: string, escape: string): string {
  const text = `"a${escape}b"`
  const fields = ['title', 'description', 'event_type', 'location'].map((field) => `"${field}":${text}`)
  return `{"id":"${id}",${fields.join(',')},"k${escape}":${text}}`
}

const neighbour = '{"id":99,"name":"Neighbour","rsvp":"yes"}'
const nul = String.raw`\u0000`
const half = String.raw`\ud83d`

const odd = {
  '': `[${eventOf('nul', nul)},${eventOf('half', half)},{"id":"a${nul}"},{"id":"${half}"},
    {"id":"keys","title":"first","title":"last","__proto__":{"id":"x"},"constructor":7},
    {"id":"unknown","seats":12,"venue":{"rooms":["A",null]},"nothing":null}]`,
  nul: `[${itemOf(1, nul)},${neighbour}]`,
  half: `[${itemOf(1, half)},${itemOf(2, String.raw`\ude00`)},${neighbour}]`,
  keys: `[{"id":1,"name":"first","name":"last","id":2,"amount":1.50,"amount":"2.50"},
    {"id":3,"__proto__":{"id":4},"constructor":{"prototype":1},"toString":"x","slots":[{"__proto__":5}]},
    {"__proto__":{"id":5}},${neighbour}]`,
  unknown: `[{"id":1,"seat":"A 1","tags":["x",{"y":null}],"big":9007199254740993,"gone":null,
    "slots":[{"name":"Bar","shift":3,"end_date":null}]},${neighbour}]`,
}
const ids = ['nul', 'half', 'keys', 'unknown']
const sound = { '': eventsText(ids), ...Object.fromEntries(ids.map((id) => [id, `[${neighbour}]`])) }

describe.each(engines)('texts and keys of a payload (%s)', (engine) => {
  let course: Course
  const rows = (table: 'events' | 'responses' | 'payments' | 'slots', event: string) =>
    course.stored.rows(table, event)
  beforeAll(async () => {
    course = await runCourse(engine, odd, sound)
  })

  const mended = { name: 'a\uFFFDb', email: 'a\uFFFDb', message: 'a\uFFFDb', rsvp: 'a\uFFFDb' }
  const kept = { 'k\uFFFD': ['a\uFFFDb'] }

  test('P3 U+0000 in every text and key of a response: U+FFFD in its place, the neighbour as sent', () => {
    expect(rows('responses', 'nul')).toMatchObject([
      { id: '1', kind: 'mixed', ...mended, _extra: kept },
      { id: '99', name: 'Neighbour', _extra: null },
    ])
    expect(rows('slots', 'nul')).toMatchObject([{ name: 'a\uFFFDb', _extra: { 'k\uFFFD': 'a\uFFFDb' } }])
  })

  test('P4 half surrogates in every text and key of a response, the first half or the second', () => {
    expect(rows('responses', 'half')).toMatchObject([
      { id: '1', ...mended, _extra: kept },
      { id: '2', ...mended, _extra: kept },
      { id: '99', name: 'Neighbour' },
    ])
    expect(rows('slots', 'half')).toHaveLength(2)
  })

  test.each([
    ['P3 U+0000', 'nul'],
    ['P4 half surrogates', 'half'],
  ])('%s in every text and key of an event', (_, id) => {
    const text = 'a\uFFFDb'
    expect(rows('events', id)).toMatchObject([
      { title: text, description: text, event_type: text, location: text, _extra: { 'k\uFFFD': text } },
    ])
  })

  test('P3 P4 in the id of an event: rejected, with its source text', () => {
    const rejects = course.stored.rows('rejects').filter(({ event_id }) => event_id === null)
    expect(rejects).toMatchObject([
      { item_index: 2, reason: 'id_invalid', path: '$[2].id', payload: `{"id":"a${nul}"}`, bytes: '16' },
      { item_index: 3, reason: 'id_invalid', path: '$[3].id', payload: `{"id":"${half}"}` },
    ])
  })

  test('P5 of a key that stands twice the last counts, in ids and amounts too', () => {
    expect(rows('events', 'keys')).toMatchObject([{ title: 'last' }])
    expect(rows('responses', 'keys')[0]).toMatchObject({ id: '2', name: 'last' })
    expect(rows('payments', 'keys')).toMatchObject([{ response_id: '2', amount: '2.50' }])
  })

  test('P6 __proto__ and constructor are keys like any other, at every level', () => {
    expect(extraOf(rows('events', 'keys'))).toBe('{"__proto__":{"id":"x"},"constructor":7}')
    const [, response] = rows('responses', 'keys')
    expect(response).toMatchObject({ id: '3', kind: 'signup' })
    expect(extraOf([response])).toBe('{"__proto__":{"id":4},"constructor":{"prototype":1},"toString":"x"}')
    expect(extraOf(rows('slots', 'keys'))).toBe('{"__proto__":5}')
    expect(course.stored.rows('rejects', 'keys')).toMatchObject([
      { reason: 'id_missing', payload: '{"__proto__":{"id":5}}' },
    ])
  })

  test('P12 unknown fields stay in _extra at both levels, nulls and big integers included', () => {
    expect(extraOf(rows('events', 'unknown'))).toBe(
      '{"nothing":null,"seats":12,"venue":{"rooms":["A",null]}}',
    )
    expect(extraOf(rows('responses', 'unknown'))).toBe(
      '{"big":9007199254740993,"gone":null,"seat":"A 1","tags":["x",{"y":null}]}',
    )
    expect(rows('slots', 'unknown')).toMatchObject([{ name: 'Bar', end_date: null, _extra: { shift: 3 } }])
  })

  test('the report counts what was repaired and rejected, and the run is held', () => {
    const { exit, status, report } = course.first
    expect({ exit, status, rejected: report.rejected }).toEqual({ exit: 8, status: 'held', rejected: 3 })
    // Two events of 6 texts each; a response has 4, a key and its text, its slot 3.
    expect(report.set_aside).toBe(2 * 6 + 3 * 9)
    expect(report.warnings).toContainEqual(
      expect.stringMatching(/^Event half: texts with U\+0000 .*U\+FFFD stands in their place: 18$/),
    )
    expect(report.warnings).toContainEqual(expect.stringMatching(/^The event list: texts with .*: 12$/))
    expect(course.stored.rows('sync_state', 'nul')).toMatchObject([{ set_aside: 9, error_code: null }])
  })

  test('the same again writes nothing', () => {
    expectNoChurn(course)
    for (const { exit, report } of course.again)
      expect({ exit, rejected: report.rejected, set_aside: report.set_aside }).toEqual({
        exit: 8,
        rejected: 3,
        set_aside: course.first.report.set_aside,
      })
  })

  test('a service that mends its answers: no reject, nothing set aside, the former versions in history', () => {
    const { exit, report } = course.mended
    expect({ exit, rejected: report.rejected, set_aside: report.set_aside }).toEqual({
      exit: 0,
      rejected: 0,
      set_aside: 0,
    })
    expect(course.sound.rows('rejects')).toEqual([])
    expect(course.sound.rows('responses')).toMatchObject(ids.map(() => ({ id: '99' })))
    expect(course.sound.rows('event_history')).toHaveLength(4)
    expect(course.sound.rows('response_history', 'nul')).toMatchObject([
      { response_id: '1', operation: 'delete', document: { name: 'a\uFFFDb', ...kept } },
    ])
  })
})

/** The `_extra` of the first row as JSON, its keys in order. */
function extraOf([row]: readonly (Row | undefined)[]): string {
  const { _extra } = row ?? {}
  const inOrder = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return JSON.stringify(_extra, inOrder)
}
