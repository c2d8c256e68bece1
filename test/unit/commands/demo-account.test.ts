import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSampleAccount, type SampleAccount } from '../../../src/commands/demo/account/account.ts'
import type { SampleResponse } from '../../../src/commands/demo/account/items.ts'

const now = new Date('2026-06-17T10:20:30.456Z')
const day = 86_400_000
const seeds = [1, 2, 'garden', 'Łódź']

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/
const decimal = /^\d+\.\d\d$/

function listsOf(account: SampleAccount) {
  return account.events().map((event) => ({ event, responses: account.responses(event.id) ?? [] }))
}

function allResponses(account: SampleAccount): SampleResponse[] {
  return listsOf(account).flatMap(({ responses }) => responses)
}

function shapeMarks({ rsvp, amount, slots }: SampleResponse): string {
  return [rsvp !== undefined && 'A', amount !== undefined && 'B', slots !== undefined && 'C']
    .filter(Boolean)
    .join('')
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the same account', () => {
  test('comes from the same seed and moment, and another from another seed', () => {
    const text = (seed: string | number) => JSON.stringify(listsOf(createSampleAccount({ seed, now })))
    expect(text(1)).toBe(text(1))
    expect(text(1)).not.toBe(text(2))
  })

  test('takes the same steps', () => {
    const [one, two] = [createSampleAccount({ seed: 7, now }), createSampleAccount({ seed: 7, now })]
    for (let step = 0; step < 12; step++) expect(one.advance()).toEqual(two.advance())
    expect(listsOf(one)).toEqual(listsOf(two))
  })

  test('does not depend on the time zone of the machine', () => {
    const here = JSON.stringify(listsOf(createSampleAccount({ seed: 1, now })))
    const offset = now.getTimezoneOffset()
    vi.stubEnv('TZ', offset === -720 ? 'UTC' : 'Pacific/Auckland')
    expect(now.getTimezoneOffset()).not.toBe(offset)
    expect(JSON.stringify(listsOf(createSampleAccount({ seed: 1, now })))).toBe(here)
  })
})

describe.each(seeds)('with the seed %s', (seed) => {
  const account = createSampleAccount({ seed, now })
  const responses = allResponses(account)

  test('there are about 60 events over some two years, and about 5,000 responses in every shape', () => {
    const events = account.events()
    const times = events.map(({ event_at }) => Date.parse(event_at))
    expect(events.length).toBeGreaterThanOrEqual(55)
    expect(events.length).toBeLessThanOrEqual(68)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(640 * day)
    expect(times.filter((time) => time > now.getTime()).length).toBeGreaterThan(15)
    expect(responses.length).toBeGreaterThan(4_600)
    expect(responses.length).toBeLessThan(5_500)
    for (const shape of ['A', 'B', 'C']) {
      expect(responses.filter((response) => shapeMarks(response) === shape).length).toBeGreaterThan(700)
    }
    expect(new Set(events.map(({ event_type }) => event_type))).toEqual(
      new Set(['rsvp', 'payment', 'signup']),
    )
  })

  test('some lists mix shapes, one of them all three', () => {
    const mixes = listsOf(account).map(({ responses }) =>
      [...new Set(responses.map(shapeMarks))].sort().join(' '),
    )
    expect(mixes).toContain('A B')
    expect(mixes).toContain('A C')
    expect(mixes).toContain('A B C')
  })

  test('every id is unique, and event ids are slugs', () => {
    const eventIds = account.events().map(({ id }) => id)
    expect(new Set(eventIds).size).toBe(eventIds.length)
    expect(eventIds.filter((id) => !/^[a-z0-9-]+$/.test(id))).toEqual([])
    expect(new Set(responses.map(({ id }) => id)).size).toBe(responses.length)
    expect(responses.every(({ id }) => Number.isSafeInteger(id) && id > 0)).toBe(true)
  })

  test('time stamps and amounts have the forms of the specification, and nothing was answered after now', () => {
    for (const { event_at } of account.events()) expect(event_at).toMatch(utc)
    for (const response of responses) {
      expect(response.created_at).toMatch(utc)
      expect(response.updated_at).toMatch(utc)
      expect(response.created_at <= response.updated_at).toBe(true)
      expect(Date.parse(response.updated_at)).toBeLessThanOrEqual(now.getTime())
      for (const slot of response.slots ?? []) {
        expect(slot.start_date).toMatch(zoned)
        expect(slot.end_date).toMatch(zoned)
        expect(Date.parse(slot.start_date)).toBeLessThan(Date.parse(slot.end_date))
      }
    }
    const money = responses.flatMap(({ amount, processing_fee }) => [amount, processing_fee])
    const texts = money.filter((value) => typeof value === 'string')
    expect(texts.filter((text) => !decimal.test(text))).toEqual([])
    expect(texts.length).toBeGreaterThan(2_000)
  })

  test('slots have the offsets of their places on both sides of the clock changes', () => {
    const offsets = new Set(
      responses.flatMap(({ slots }) => (slots ?? []).map(({ start_date }) => start_date.slice(19))),
    )
    expect(offsets).toEqual(new Set(['+01:00', '+02:00', '-04:00', '-05:00', '+05:30']))
  })

  test('names and messages come in many scripts', () => {
    const text = responses.map(({ name, message }) => `${name} ${message}`).join('\n')
    const scripts = [
      'Latin',
      'Cyrillic',
      'Greek',
      'Arabic',
      'Hebrew',
      'Devanagari',
      'Han',
      'Hiragana',
      'Katakana',
      'Hangul',
    ]
    expect(scripts.filter((script) => !new RegExp(`\\p{Script=${script}}`, 'u').test(text))).toEqual([])
    expect(text).toMatch(/\p{Emoji_Presentation}/u)
    expect(text).toMatch(/[ßŁğñ]/)
    expect(
      responses.filter(({ email }) => email !== undefined && !/^[a-z0-9.]+@[a-z.]+$/.test(email)),
    ).toEqual([])
  })

  test('a few items are odd in the ways that the specification leaves open', () => {
    const has = (test: (response: SampleResponse) => boolean) => responses.filter(test).length
    expect(has(({ email }) => email === undefined)).toBe(1)
    expect(has(({ message }) => message === null)).toBe(1)
    expect(has(({ quantity }) => quantity === null)).toBe(1)
    expect(has(({ amount }) => typeof amount === 'number')).toBe(1)
    expect(has(({ amount, processing_fee }) => amount !== undefined && processing_fee === undefined)).toBe(1)
    expect(has(({ source }) => source !== undefined)).toBe(1)
    expect(has(({ seating }) => seating !== undefined)).toBe(1)
    expect(has(({ slots }) => slots?.length === 0)).toBe(1)
    expect(has((response) => shapeMarks(response) === 'AB')).toBe(1)
    expect(account.events().filter(({ description }) => description === undefined)).toHaveLength(1)
    expect(account.events().filter(({ location }) => location === null)).toHaveLength(1)
    expect(account.events().filter(({ capacity }) => capacity !== undefined)).toHaveLength(1)
  })
})

describe('the questions of the demo have answers', () => {
  const moments = [
    '2026-06-17T10:20:30Z',
    '2028-02-29T23:59:59Z',
    '2026-03-28T23:30:00Z',
    '2026-10-24T20:30:00Z',
    '2027-01-01T00:00:00Z',
  ]

  test.each(moments)('who comes to the next event, asked at %s', (text) => {
    const asked = new Date(text)
    const account = createSampleAccount({ seed: 1, now: asked })
    const next = account.events().find(({ event_at }) => Date.parse(event_at) > asked.getTime())
    const ahead = Date.parse(next?.event_at ?? '') - asked.getTime()
    expect(ahead).toBeGreaterThan(2 * day)
    expect(ahead).toBeLessThan(5 * day)
    const replies = Object.groupBy(account.responses(next?.id ?? '') ?? [], ({ rsvp }) => rsvp ?? 'none')
    expect(Object.keys(replies).sort()).toEqual(['maybe', 'no', 'yes'])
    expect(replies['yes']?.length).toBeGreaterThan(30)
  })

  test('money came in over more than twelve months', () => {
    const payments = allResponses(createSampleAccount({ seed: 1, now })).filter(
      ({ amount }) => amount !== undefined,
    )
    expect(new Set(payments.map(({ created_at }) => created_at.slice(0, 7))).size).toBeGreaterThanOrEqual(13)
  })

  test.each(seeds)('coming slots are still thin (seed %s)', (seed) => {
    const account = createSampleAccount({ seed, now })
    const heads = new Map<string, number>()
    for (const { event, responses } of listsOf(account)) {
      if (Date.parse(event.event_at) < now.getTime() || Date.parse(event.event_at) > now.getTime() + 40 * day)
        continue
      for (const { slots, quantity } of responses) {
        for (const { name } of slots ?? []) {
          const slot = `${event.id} ${name}`
          heads.set(slot, (heads.get(slot) ?? 0) + (quantity ?? 0))
        }
      }
    }
    const counts = [...heads.values()]
    expect(counts.filter((count) => count <= 4).length).toBeGreaterThanOrEqual(3)
    expect(counts.filter((count) => count >= 10).length).toBeGreaterThanOrEqual(5)
  })
})
