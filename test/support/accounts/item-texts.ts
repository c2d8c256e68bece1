/** Items of a list as JSON text: like the spec's, mended and broken, for property tests. */
import fc from 'fast-check'

/** Fields of an item in the order of its text; no key stands twice. */
export type Entries = readonly (readonly [key: string, source: string])[]

const letters = ['a', 'B', '7', ' ', 'é', '😀', '\uFFFD', '\0', '\uD83D', '\uDE00', '"', '\n', '[', '}', ',']
const units = fc.constantFrom(...letters, '\\')
const text = fc.string({ unit: units, maxLength: 6 })
const quoted = text.map((value) => JSON.stringify(value))

const numbers =
  '0 -0 1 -1 2.0 1e2 0.5 12.50 -0.75 1e400 1e-400 1e-16384 1e131072 1.00000000000000000001 ' +
  '9007199254740991 9007199254740993 9223372036854775807 9223372036854775808'
const number = fc.constantFrom(...numbers.split(' '))
const literal = fc.constantFrom('null', 'true', 'false', '{}', '[]', '[null]', '[[{}]]', '""')
// No backslash in keys: after one, V8 takes keys with an escape in other objects for it (nodejs/node#63785).
const anyJson = fc
  .jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom(...letters) })
  .map((value) => JSON.stringify(value))
const oddValue = fc.oneof(
  number,
  literal,
  quoted,
  anyJson,
  fc.constant('[{"a":'.repeat(40) + '1' + '}]'.repeat(40)),
)

const dates =
  '2024-03-01T10:00:00Z 2024-02-29T23:59:59.123456+14:00 0001-01-01T00:00:00-12:00 9999-12-31T23:59:59Z ' +
  '2024-02-30T10:00:00Z 2024-03-01T10:00:00 now 0001-01-01T00:00:00+01:00 2024-03-01T10:00:00+16:00'
const date = fc.constantFrom(...dates.split(' '))
const dateSource = date.map((value) => JSON.stringify(value))
const amountSource = fc.constantFrom('"12.50"', '"0.00"', '"-7"', '"abc"', '"1,5"', '12.50', '3')
const integerSource = fc.constantFrom('1', '2', '17', '"3"', '"03"', '-4', '9007199254740993')

/** Keys that stay different from each other when they are repaired. */
const unknownKey = fc.constantFrom(
  'source',
  '__proto__',
  'constructor',
  'toString',
  '',
  '0',
  'a b',
  'é',
  'x\0',
  'y\uD800',
  'Amount',
)

const mostly = (usual: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: usual, weight: 6 }, { arbitrary: oddValue, weight: 1 })

function objectOf(fields: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Entries> {
  const known = Object.entries(fields).map(([key, source]) => fc.tuple(fc.constant(key), mostly(source)))
  const unknown = fc.tuple(unknownKey, oddValue)
  return fc.uniqueArray(fc.oneof(...known, ...known, unknown), { selector: ([key]) => key, maxLength: 12 })
}

/** The text of an object, its fields in this order. */
export function objectText(entries: Entries): string {
  return `{${entries.map(([key, source]) => `${JSON.stringify(key)}:${source}`).join(',')}}`
}

const slot = objectOf({ name: quoted, start_date: dateSource, end_date: dateSource }).map(objectText)
const slots = fc.array(slot, { maxLength: 3 }).map((items) => `[${items.join(',')}]`)

const responseFields = objectOf({
  name: quoted,
  email: quoted,
  message: quoted,
  created_at: dateSource,
  updated_at: dateSource,
  quantity: integerSource,
  rsvp: quoted,
  amount: amountSource,
  processing_fee: amountSource,
  slots,
})
const eventFields = objectOf({
  title: quoted,
  event_at: dateSource,
  description: quoted,
  event_type: quoted,
  location: quoted,
})

function withId(id: fc.Arbitrary<string>, fields: fc.Arbitrary<Entries>): fc.Arbitrary<Entries> {
  const wellKnown = fc
    .tuple(mostly(id), fields)
    .map(([source, entries]): Entries => [['id', source], ...entries])
  return fc.oneof({ arbitrary: wellKnown, weight: 9 }, { arbitrary: fields, weight: 1 })
}

export const responseEntries = withId(integerSource, responseFields)
export const eventEntries = withId(fc.oneof(quoted, integerSource), eventFields)

/** Any item at all, mostly an object that resembles a response or an event. */
export const anyItem = fc.oneof(responseEntries.map(objectText), eventEntries.map(objectText), oddValue)
