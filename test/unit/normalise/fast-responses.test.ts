/** The fast way of an ordinary response either declines, or writes the very bytes that the rules of `normalise` lead to. */
import { withoutPersonal } from '../../../src/common/schema/personal-data.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DECLINED } from '../../../src/normalise/items/field-spans.ts'
import { ResponseWriter } from '../../../src/normalise/items/response-writer.ts'
import { createPersonKey } from '../../../src/normalise/suppression/person-key.ts'
import { Suppressions, type ListSuppressions } from '../../../src/normalise/suppression/suppressions.ts'
import { fieldRules, type FieldRules } from '../../../src/normalise/items/field-rules.ts'
import { ItemIssues } from '../../../src/normalise/items/item-issues.ts'
import { ResponseRows } from '../../../src/copy-format/response-rows.ts'
import { InvalidResponseError } from '../../../src/common/errors.ts'
import { type KeyRemover, noKeyRemover } from '../../../src/common/json/key-in-items.ts'
import { ListNormaliser } from '../../../src/normalise/list/list-normaliser.ts'
import { readPages } from '../../support/accounts/read-items.ts'
import { anyItem } from '../../support/accounts/item-texts.ts'
import { responsesUnder } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

const key = { account: 7, event_id: 'gâla', run: '12' }

function bytesOf({ responses, payments, slots }: ResponseRows): string[] {
  return [responses, payments, slots].map(
    ({ bytes, end, count }) => `${count} ${bytes.toString('hex', 0, end)}`,
  )
}

/** What the fast way makes of an item; null when it declines. */
function fast(
  item: Buffer,
  isForgotten = false,
  suppressed: ListSuppressions | null = null,
  rules: FieldRules | null = null,
): string[] | null {
  const rows = new ResponseRows(key)
  const end = new ResponseWriter(new ItemIssues(), null, {
    withoutPersonal: isForgotten,
    suppressed,
    rules,
  }).write(item, 0, rows)
  if (end === DECLINED) {
    expect(bytesOf(rows)).toEqual(['0 ', '0 ', '0 '])
    return null
  }
  expect(end).toBe(item.length)
  return bytesOf(rows)
}

/** What the rules make of it. */
function slow(item: Buffer, isForgotten = false, rules: FieldRules | null = null): string[] {
  const rows = new ResponseRows(key)
  const list = responsesUnder(rules, `[${item.toString()}]`)
  expect(list.rejects).toEqual([])
  for (const row of list.rows) rows.add(isForgotten ? withoutPersonal(row) : row)
  return bytesOf(rows)
}

const personKey = createPersonKey('a key of the suppression list for tests only')
const someRules = [
  fieldRules(['responses.message', 'responses._extra', 'slots._extra.who'], [], null),
  fieldRules(['responses.name'], ['email'], personKey),
  fieldRules([], ['email', 'name'], personKey),
]

const spaces = fc.constantFrom('', '', '', ' ', '\n\t', '\r')
const text = fc.oneof(
  fc.string().map((value) => JSON.stringify(value)),
  fc
    .string({ unit: fc.constantFrom('a', '"', '\\', '/', '\b', '\f', '\n', '\r', '\t', 'é', '😀') })
    .map((value) => JSON.stringify(value).replaceAll('/', '\\/')),
  fc.constantFrom('null', '""', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\x"', '"\u0001"', '"open'),
)
const digits = fc.oneof(
  fc.bigInt({ min: -(10n ** 18n), max: 10n ** 19n }).map(String),
  fc.constantFrom('-0', '0', '01', '1.0', '1e3', '-', 'null', '"5"'),
)
const amount = fc.oneof(
  fc.stringMatching(/^"-?\d{1,20}(\.\d{1,9})?"$/),
  fc.constantFrom('null', '12.5', '"1."', '".5"', '""', '"1e5"'),
)
const clock = fc
  .tuple(
    fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31', '1999-12-31', '2023-02-29', '1715-06-01'),
    fc.constantFrom('T00:00:00', 'T23:59:59', 'T24:00:00', ' 10:00:00'),
    fc.constantFrom('', '.5', '.123456', '.1234567', '.'),
    fc.constantFrom('Z', '+00:00', '-05:30', '+15:59', '+16:00', ''),
  )
  .map((parts) => JSON.stringify(parts.join('')))
const time = fc.oneof({ weight: 5, arbitrary: clock }, fc.constantFrom('null', '17'))

function object(fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  const entries = Object.entries(fields).map(([name, value]) =>
    fc.tuple(fc.constant(name), value, spaces, spaces),
  )
  return fc
    .tuple(
      fc.shuffledSubarray(entries).chain((chosen) => fc.tuple(...chosen)),
      spaces,
    )
    .map(
      ([chosen, space]) =>
        `{${chosen.map(([name, value, one, other]) => `${one}"${name}"${other}:${one}${value}${other}`).join(`${space},`)}${space}}`,
    )
}

const slot = object({ name: text, start_date: time, end_date: time })
const slots = fc.oneof(
  fc
    .tuple(
      fc.array(fc.oneof({ weight: 8, arbitrary: slot }, fc.constantFrom('null', '{}', '[]', '1')), {
        maxLength: 4,
      }),
      spaces,
    )
    .map(([items, space]) => `[${space}${items.join(`${space},`)}${space}]`),
  fc.constantFrom('null', '[]', '[ ]', '[}', '{}', '[{}}'),
)
const ordinary = object({
  id: fc.nat().map(String),
  name: text,
  email: text,
  message: text,
  created_at: time,
  updated_at: time,
  quantity: digits,
  rsvp: text,
  amount,
  processing_fee: amount,
  slots,
})
const withIds = object({ id: digits, rsvp: text })

describe('an ordinary response', () => {
  const agrees = (source: string): void => {
    const item = Buffer.from(source)
    for (const isForgotten of [false, true]) {
      const written = fast(item, isForgotten)
      if (written !== null) expect(written).toEqual(slow(item, isForgotten))
    }
    for (const rules of someRules) {
      const written = fast(item, false, null, rules)
      if (written !== null) expect(written).toEqual(slow(item, false, rules))
    }
  }

  test('has the rows that the rules lead to', () => {
    fc.assert(fc.property(fc.oneof(ordinary, withIds), agrees), { numRuns: examples(1000) })
  })

  test('is declined, or has those rows, when it is odd', () => {
    fc.assert(fc.property(anyItem, agrees), { numRuns: examples(1000) })
  })

  test('is declined when it may be of an erased person, and only then', () => {
    const email = fc.constantFrom(
      'ada@example.org',
      ' ADA@example.org',
      'ada\\u0040example.org',
      'grace@example.org',
    )
    const item = fc
      .tuple(fc.constantFrom('7', '8'), fc.option(email))
      .map(
        ([id, sent]) =>
          [id, sent, `{"id":${id},"email":${sent === null ? null : `"${sent}"`},"rsvp":"yes"}`] as const,
      )
    const suppressed = new Suppressions(
      personKey,
      new Set([personKey.hash('ada@example.org')]),
      new Map([['gala', new Set(['7'])]]),
    ).forEvent('gala')
    fc.assert(
      fc.property(item, ([id, sent, source]) => {
        const declines = id === '7' || (sent !== null && sent !== 'grace@example.org')
        expect(fast(Buffer.from(source), false, suppressed) === null).toBe(declines)
      }),
    )
  })

  test('is declined when it is no JSON', () => {
    const broken = fc
      .tuple(ordinary, fc.nat(), fc.integer({ min: 0, max: 127 }), fc.boolean())
      .map(([source, place, code, isInserted]) => {
        const at = place % (source.length + 1)
        return source.slice(0, at) + String.fromCharCode(code) + source.slice(isInserted ? at : at + 1)
      })
    fc.assert(
      fc.property(broken, (source) => {
        const item = Buffer.from(source)
        const rows = new ResponseRows(key)
        const end = new ResponseWriter(new ItemIssues(), null, {
          withoutPersonal: false,
          suppressed: null,
          rules: null,
        }).write(item, 0, rows)
        if (end === DECLINED) return
        expect(bytesOf(rows)).toEqual(slow(item.subarray(0, end)))
      }),
      { numRuns: examples(1000) },
    )
  })

  test('is taken, not declined', () => {
    const taken = fast(
      Buffer.from(
        '{"id":1,"name":"A","email":"a@b","message":"x\\ny","quantity":2,"rsvp":"yes","created_at":"2024-03-01T10:00:00Z"}',
      ),
    )
    expect(taken).not.toBeNull()
  })

  test('X2 is declined when it has an escape by number, behind which the key may hide', () => {
    for (const field of ['name', 'email', 'message', 'rsvp']) {
      expect(fast(Buffer.from(`{"id":1,"${field}":"\\u0073k"}`))).toBeNull()
      expect(fast(Buffer.from(`{"id":1,"${field}":"sk"}`))).not.toBeNull()
    }
    expect(fast(Buffer.from('{"id":1,"slots":[{"name":"\\u0073k"}]}'))).toBeNull()
  })

  test('shows the same of itself as it does to the rules', () => {
    const item = fc.oneof({ weight: 6, arbitrary: ordinary }, anyItem)
    const property = fc.property(fc.array(item, { maxLength: 8 }), (items) => {
      const page = `[${items.join(',')}]`.toWellFormed()
      const [byBytes, byRules] = [noKeyRemover, { ...noKeyRemover, mayBeIn: () => true }].map((keyRemover) =>
        shownBy(page, keyRemover),
      )
      expect(byBytes).toEqual(byRules)
    })
    fc.assert(property, { numRuns: examples(700) })
  })
})

/** What a list is found to be; null when it is none. */
function shownBy(page: string, keyRemover: KeyRemover) {
  const list = new ListNormaliser({ key, what: 'GET /x', keyRemover })
  const reader = list.firstReader()
  try {
    readPages([page], reader)
  } catch (error) {
    if (error instanceof InvalidResponseError) return null
    throw error
  }
  const chunk = reader.take()
  list.add(chunk)
  if (list.hasDuplicates) list.resolve(chunk)
  const { observations, ...summary } = list.summarise()
  const batch = list.batch(chunk)
  return {
    ...summary,
    observations: observations.map((one) => JSON.stringify(one)).toSorted(),
    rejects: chunk.rejects,
    rows: bytesOf(batch.rows),
    items: Array.from({ length: batch.count }, (_, place) => batch.item(place)),
  }
}

test('a reader that parses every item takes none straight from its bytes', () => {
  const item = Buffer.from('{"id":1}')
  const readerOf = (parseAll: boolean) =>
    new ListNormaliser({ key, what: 'GET /x', keyRemover: noKeyRemover, parseAll }).firstReader()
  expect(readerOf(false).tryItem(item, 0)).toBe(item.length)
  expect(readerOf(true).tryItem(item, 0)).toBe(DECLINED)
})
