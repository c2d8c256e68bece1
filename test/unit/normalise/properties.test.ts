import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventItem, ResponseItem } from '../../../src/common/schema/tables.ts'
import { isObject, isRawNumber, parseJson } from '../../../src/common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../../src/common/json/exact.ts'
import { anyItem, eventEntries, objectText, responseEntries } from '../../support/accounts/item-texts.ts'
import type { Entries } from '../../support/accounts/item-texts.ts'
import { eventsIn, type NormalisedList, responsesIn } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

const listText = (items: readonly string[]): string => `[${items.join(',')}]`
const items = fc.array(anyItem, { maxLength: 8 })

test('whatever the items are, nothing is thrown and each is a row, a reject or a duplicate', () => {
  fc.assert(
    fc.property(items, (texts) => {
      for (const list of [eventsIn(listText(texts)), responsesIn(listText(texts))]) {
        const ids = list.rows.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(list.rows.length + list.rejects.length).toBeLessThanOrEqual(texts.length)
        expect(list.rejects.map(({ payload }) => payload)).toEqual(
          list.rejects.map(({ item_index }) => texts[item_index]?.toWellFormed()),
        )
      }
    }),
    { numRuns: examples(150) },
  )
})

test('the same input gives the same output', () => {
  fc.assert(
    fc.property(items, (texts) => {
      expect(eventsIn(listText(texts))).toEqual(eventsIn(listText(texts)))
      expect(responsesIn(listText(texts))).toEqual(responsesIn(listText(texts)))
    }),
    { numRuns: examples(100) },
  )
})

describe('events', () => {
  propertiesOf(eventEntries, eventsIn, eventAsSent)
})

describe('responses', () => {
  propertiesOf(responseEntries, responsesIn, responseAsSent)
})

function propertiesOf<Row>(
  entries: fc.Arbitrary<Entries>,
  normalise: (body: string) => NormalisedList<Row>,
  asSent: (row: Row) => JsonObject,
): void {
  test('no field of an item is lost: it is in a column, in _extra, in a slot, or the item is in a reject', () => {
    fc.assert(
      fc.property(entries, (fields) => {
        const source = objectText(fields)
        fc.pre(!hasTwins(parseJson(source)))
        const { rows, rejects } = normalise(`[${source}]`)
        const [row] = rows
        if (row === undefined) {
          expect(rejects.map(({ payload }) => payload)).toEqual([source.toWellFormed()])
          return
        }
        expect(rejects).toEqual([])
        // Either side was sent as JSON and says the same, but for what the mirror states that it does not keep.
        expect(JSON.stringify(canonical(asSent(row)))).toBe(JSON.stringify(canonical(parseJson(source))))
      }),
      { numRuns: examples(300) },
    )
  })

  test('the order of keys does not matter', () => {
    const twice = entries.chain((fields) => fc.tuple(fc.constant(fields), shuffled(fields)))
    fc.assert(
      fc.property(twice, ([fields, others]) => {
        expect(withoutSource(normalise(`[${objectText(others)}]`))).toEqual(
          withoutSource(normalise(`[${objectText(fields)}]`)),
        )
      }),
      { numRuns: examples(150) },
    )
  })

  test('the order of items with different ids does not matter', () => {
    const several = fc.uniqueArray(entries, { selector: idOf, maxLength: 6 })
    const twice = several.chain((list) => fc.tuple(fc.constant(list), shuffled(list)))
    fc.assert(
      fc.property(twice, ([list, others]) => {
        const [one, other] = [list, others].map((each) => normalise(listText(each.map(objectText))))
        expect(other?.rows).toEqual(one?.rows)
        expect(other?.setAside).toEqual(one?.setAside)
        expect(other?.warnings).toEqual(one?.warnings)
        expect(other?.fields).toEqual(one?.fields)
        expect(other?.rejects.map(({ sha256 }) => sha256).toSorted()).toEqual(
          one?.rejects.map(({ sha256 }) => sha256).toSorted(),
        )
      }),
      { numRuns: examples(150) },
    )
  })
}

function shuffled<T>(list: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...list], { minLength: list.length })
}

/** The id as the mirror sees it: 1 and "1" are the same. */
function idOf(fields: Entries): string {
  return integerText((fields.find(([key]) => key === 'id')?.[1] ?? '').replaceAll('"', ''))
}

/** Without what depends on the order of keys in the source text. */
function withoutSource<Row>(list: NormalisedList<Row>): unknown {
  const rejects = list.rejects.map(({ reason, path, id, item_index, bytes }) => ({
    reason,
    path,
    id,
    item_index,
    bytes,
  }))
  return { ...list, rejects, observations: list.observations.map((one) => JSON.stringify(one)).toSorted() }
}

function eventAsSent({ _extra, ...columns }: EventItem): JsonObject {
  return { ...columns, ..._extra }
}

function responseAsSent({ kind: _, payment, slots, _extra, ...columns }: ResponseItem): JsonObject {
  return { ...columns, ...payment, slots: slots.map(slotAsSent), ..._extra }
}

function slotAsSent({
  start_local,
  end_local,
  _extra,
  ...columns
}: ResponseItem['slots'][number]): JsonObject {
  expect(columns.start_date?.startsWith(`${start_local}`) ?? start_local === null).toBe(true)
  expect(columns.end_date?.startsWith(`${end_local}`) ?? end_local === null).toBe(true)
  return { ...columns, ..._extra }
}

const INTEGERS = new Set(['id', 'quantity'])
const AMOUNTS = new Set(['amount', 'processing_fee'])
const EVENT_FIELDS = ['id', 'title', 'event_at', 'description', 'event_type', 'location']
const RESPONSE_FIELDS = ['name', 'email', 'message', 'created_at', 'updated_at', 'quantity', 'rsvp', 'slots']
const KNOWN = new Set([...EVENT_FIELDS, ...RESPONSE_FIELDS, ...AMOUNTS, 'start_date', 'end_date'])

/**
 * A form that is equal for two items which mean the same: sorted keys, null as absent, integers and amounts as
 * text as well as numbers, U+FFFD for what no database holds, and `slots: []` as absent.
 */
function canonical(item: JsonValue): JsonValue {
  if (!isObject(item)) return plain(item)
  const fields = Object.entries(item).filter(([key, value]) => !(KNOWN.has(key) && isNothing(key, value)))
  return inOrder(fields.map(([key, value]) => [mended(key), meaning(key, value)]))
}

function isNothing(key: string, value: JsonValue): boolean {
  return value === null || (key === 'slots' && Array.isArray(value) && value.length === 0)
}

function meaning(key: string, value: JsonValue): JsonValue {
  const source = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : value
  if (AMOUNTS.has(key) && typeof source === 'string') return mended(source)
  if (INTEGERS.has(key) && typeof source === 'string') {
    return source === value ? mended(source) : integerText(source)
  }
  return key === 'slots' && Array.isArray(value) ? value.map(canonical) : plain(value)
}

/** The digits of a JSON number that is an integer, however it is written; any other text as it is. */
function integerText(source: string): string {
  const [, whole = '', fraction = '', power = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const shift = Number(power) - fraction.length
  const digits = whole + fraction
  if (whole === '' || Math.abs(shift) > 1000 || (shift < 0 && !digits.endsWith('0'.repeat(-shift))))
    return source
  return String(BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift)))
}

/** A value that stands in no column: only its texts are mended and its keys put in order. */
function plain(value: JsonValue): JsonValue {
  if (typeof value === 'string') return mended(value)
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  return inOrder(Object.entries(value).map(([key, inner]) => [mended(key), plain(inner)]))
}

/** Whether two keys of one object are the same once mended: the mirror then keeps both, under another name. */
function hasTwins(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasTwins)
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  return new Set(keys.map(mended)).size < keys.length || Object.values(value).some(hasTwins)
}

function inOrder(fields: readonly [string, JsonValue][]): JsonValue {
  // A key that was lengthened so as not to swallow another is taken for the shorter one.
  const named = fields.map(([key, value]) => [key.replace(/\uFFFD+$/, '\uFFFD'), value])
  return named.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

function mended(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}
