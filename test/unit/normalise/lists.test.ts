import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  eventsIn,
  eventsOf,
  nested,
  onlyReject,
  onlyRow,
  responsesIn,
  responsesOf,
} from '../../support/accounts/normalising.ts'

describe('an item that is no object is a reject, and the others are stored', () => {
  test.each(['null', 'true', '17', '9007199254740993', '1e131072', '"gala"', '[]', '[{"id":1}]'])(
    '%s',
    (item) => {
      for (const list of [
        responsesIn(`[{"id":1}, ${item} ,{"id":2}]`),
        eventsIn(`[{"id":1}, ${item} ,{"id":2}]`),
      ]) {
        expect(list.rows.map(({ id }) => id)).toEqual(['1', '2'])
        expect(list.rejects).toEqual([
          {
            item_index: 1,
            reason: 'not_an_object',
            path: '$[1]',
            payload: item,
            bytes: item.length,
            sha256: createHash('sha256').update(item).digest('hex'),
            id: null,
          },
        ])
        expect(list.unreadableId).toBe(true)
      }
    },
  )
})

describe('what a reject keeps', () => {
  test('the source text as it stood in the body, and its place over all pages', () => {
    const source = String.raw`{ "name" : "Zo\u00eb", "amount": 1.50 }`
    const { rejects } = responsesIn('[{"id":1},{"id":2}]', `[ ${source} ]`)
    expect(rejects).toMatchObject([{ item_index: 2, path: '$[2].id', payload: source, bytes: source.length }])
  })

  test('at most 64 KiB of it, not cut inside a character; length and SHA-256 are of the whole', () => {
    for (const padding of ['', 'x', 'xx', 'xxx']) {
      const source = `{"a":"${padding}${'😀'.repeat(20_000)}"}`
      const reject = onlyReject(responsesIn(`[${source}]`))
      expect(source.startsWith(reject.payload)).toBe(true)
      expect(Buffer.byteLength(reject.payload)).toBeGreaterThan(64 * 1024 - 4)
      expect(Buffer.byteLength(reject.payload)).toBeLessThanOrEqual(64 * 1024)
      expect(reject.bytes).toBe(Buffer.byteLength(source))
      expect(reject.sha256).toBe(createHash('sha256').update(source).digest('hex'))
    }
  })

  test('P4 half a surrogate pair in it becomes U+FFFD', () => {
    expect(onlyReject(responsesIn('["a\uD800"]')).payload).toBe('"a\uFFFD"')
  })

  test('P3 U+0000 in it is an escape, and stays one', () => {
    expect(onlyReject(responsesIn(String.raw`["a\u0000"]`)).payload).toBe(String.raw`"a\u0000"`)
  })
})

describe('nesting', () => {
  test('of 64 levels is stored, the item being the first', () => {
    const deep = nested(63, '9007199254740993')
    expect(JSON.stringify(onlyRow(responsesIn(`[{"id":1,"a":${deep}}]`))._extra)).toBe(`{"a":${deep}}`)
    expect(onlyRow(responsesIn(`[{"id":1,"slots":[{"a":${nested(61)}}]}]`)).slots).toHaveLength(1)
    expect(onlyRow(responsesIn(`[{"id":1,"slots":${nested(63)}}]`)).slots).toHaveLength(0)
  })

  test.each([
    ['P2 100,000 levels', `{"id":1,"a":${nested(100_000)}}`],
    ['P2 100,000 levels of objects', `{"id":1,"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['P2 100,000 levels around a large integer', `{"id":1,"a":${nested(100_000, '9007199254740993')}}`],
    ['65 levels', `{"id":1,"a":${nested(64)}}`],
    ['65 levels around nothing', `{"id":1,"a":${nested(64, '')}}`],
    ['65 levels in a field of the spec', `{"id":1,"name":${nested(64)}}`],
    ['65 levels in a slot', `{"id":1,"slots":[{"a":${nested(62)}}]}`],
    ['65 levels in a field of a slot', `{"id":1,"slots":[{"name":${nested(62)}}]}`],
    ['65 levels in slots that are no slots', `{"id":1,"slots":${nested(64)}}`],
    [
      'too deep, with a number out of range before and behind',
      `{"id":1,"b":1e131072,"a":${nested(64)},"c":1e131072}`,
    ],
  ])('%s: rejected, its live row stays', (_, item) => {
    const list = responsesIn(`[{"id":2},${item}]`)
    expect(list.rows.map(({ id }) => id)).toEqual(['2'])
    expect(list.rejects).toMatchObject([
      { item_index: 1, reason: 'too_deep', path: '$[1]', id: '1', bytes: item.length },
    ])
    expect(list.unreadableId).toBe(false)
  })

  test('an id beyond 2^53 cannot be read from an item nested too deep', () => {
    const list = responsesIn(`[{"id":9007199254740993,"a":${nested(100_000)}}]`)
    expect(onlyReject(list)).toMatchObject({ reason: 'too_deep', id: null })
    expect(list.unreadableId).toBe(true)
  })

  test('of an id is no id', () => {
    expect(onlyReject(responsesIn(`[{"id":${nested(100_000)}}]`)).reason).toBe('id_invalid')
  })
})

describe('an item above 1 MiB', () => {
  const MIB = 1024 * 1024
  const item = (bytes: number) => `{"id":1,"a":"${'x'.repeat(bytes - '{"id":1,"a":""}'.length)}"}`

  test('is rejected, its live row stays', () => {
    const list = responsesIn(`[{"id":2},${item(MIB + 1)}]`)
    expect(list.rows.map(({ id }) => id)).toEqual(['2'])
    expect(list.rejects).toMatchObject([{ reason: 'too_large', path: '$[1]', id: '1', bytes: MIB + 1 }])
    expect(list.unreadableId).toBe(false)
  })

  test('is measured in bytes, with the white space inside it', () => {
    expect(onlyReject(responsesIn(`[{"id":1,"a":"${'é'.repeat(MIB / 2)}"}]`)).reason).toBe('too_large')
    expect(onlyReject(responsesIn(`[{"id":1${' '.repeat(MIB)}}]`)).reason).toBe('too_large')
  })

  test('of exactly 1 MiB is stored, and so are many small ones', () => {
    expect(onlyRow(responsesIn(`[${item(MIB)}]`)).id).toBe('1')
    const many = Array.from({ length: 30_000 }, (_, id) => ({
      id,
      message: 'Looking forward to it, see you there!',
    }))
    expect(responsesOf(...many).rows).toHaveLength(30_000)
  })
})

test('P13 fields of the spec that no item carries are missing from `fields`; null is not carried', () => {
  const list = responsesOf(
    { id: 1, name: 'Anna', rsvp: null, slots: [{ name: 'Bar', start_date: null }] },
    { id: 2, quantity: 'x' },
  )
  expect(list.fields).toEqual(new Set(['id', 'name', 'slots', 'slots.name', 'quantity']))
  expect(eventsOf({ id: 'gala', title: '', unknown: 1 }).fields).toEqual(new Set(['id', 'title']))
  expect(eventsOf().fields).toEqual(new Set())
})

test('warnings count by field and show no value', () => {
  const list = responsesOf(
    { id: 1, name: 5, amount: 'secret', slots: [{ name: 5 }] },
    { id: 2, amount: 'secret', message: '\0' },
  )
  expect(list.setAside).toBe(5)
  expect(list.warnings).toHaveLength(2)
  expect(list.warnings[0]).toMatch(/: amount \(2\), name \(1\), slots\.name \(1\)$/)
  expect(list.warnings[1]).toMatch(/: 1$/)
  expect(list.warnings.join()).not.toContain('secret')
})

test('an empty list has nothing to say', () => {
  expect(responsesOf()).toEqual({
    rows: [],
    rejects: [],
    length: 0,
    setAside: 0,
    warnings: [],
    fields: new Set(),
    unreadableId: false,
    observations: [],
  })
})

test('rows of both lists as a whole', () => {
  expect(
    eventsOf({
      id: 'gala',
      title: 'Gala',
      event_at: '2024-05-01T18:00:00Z',
      description: 'Black tie',
      event_type: 'rsvp',
      location: 'Town hall',
    }).rows,
  ).toEqual([
    {
      id: 'gala',
      title: 'Gala',
      event_at: '2024-05-01T18:00:00Z',
      description: 'Black tie',
      event_type: 'rsvp',
      location: 'Town hall',
      _extra: null,
    },
  ])
  expect(
    responsesOf({
      id: 7,
      name: 'Anna',
      email: 'anna@example.org',
      message: 'See you there',
      created_at: '2024-03-01T10:00:00Z',
      updated_at: '2024-03-02T11:30:00Z',
      processing_fee: '0.75',
      amount: '12.50',
    }).rows,
  ).toEqual([
    {
      id: '7',
      kind: 'payment',
      name: 'Anna',
      email: 'anna@example.org',
      message: 'See you there',
      quantity: null,
      rsvp: null,
      created_at: '2024-03-01T10:00:00Z',
      updated_at: '2024-03-02T11:30:00Z',
      payment: { amount: '12.50', processing_fee: '0.75' },
      slots: [],
      _extra: null,
    },
  ])
})
