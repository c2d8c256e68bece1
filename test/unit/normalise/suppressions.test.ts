/** Whom the suppression list means. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPersonKey } from '../../../src/normalise/suppression/person-key.ts'
import { Suppressions } from '../../../src/normalise/suppression/suppressions.ts'

const key = createPersonKey('a key of the suppression list for tests only')
const hash = key.hash('ada@example.org')
const irish = key.hash("o'hara@example.org")
const list = new Suppressions(key, new Set([hash, irish]), new Map([['gala', new Set(['7'])]]))

test('an address is found in every spelling that is one person, and no other', () => {
  for (const same of ['ada@example.org', 'ADA@Example.org', ' ada@example.org\n'])
    expect([same, list.findHash(same)]).toEqual([same, hash])
  for (const other of ['ada@example.com', 'a.da@example.org', '', ' ', null])
    expect([other, list.findHash(other)]).toEqual([other, null])
})

test('a response is found by its id in its own event alone', () => {
  expect(list.forEvent('gala')?.hasResponse('7')).toBe(true)
  expect(list.forEvent('picnic')?.hasResponse('7')).toBe(false)
  expect(new Suppressions(key, new Set(), new Map([['gala', new Set(['7'])]])).forEvent('picnic')).toBeNull()
  expect(new Suppressions(null).forEvent('gala')).toBeNull()
})

test.each([
  ['{"email":"ada@example.org"}', true],
  ['{"email":"ada\\u0040example.org"}', true],
  ['{"Ada@Example.org":1}', true],
  ['{"to":["x","Ask ada@example.org."]}', true],
  ['no JSON: <ada@example.org>, please', true],
  ['{"email":"ada@example.org"', true],
  ['mailto:ada@example.org?subject=x', true],
  ['of “ada@example.org” or not', true],
  ['bob@example.org|ada@example.org|x', true],
  ['`ada@example.org`', true],
  ["'ada@example.org'", true],
  ["the reply of o'hara@example.org (Kitty O'Hara)", true],
  ['to=ada@example.org&x', true],
  ['bob@ada@example.org', true],
  [`${'x.'.repeat(10_000)}ada@example.org`, true],
  ['hara@example.org', false],
  ['{"email":"grace@example.org"}', false],
  ['ada at example.org', false],
  ['bada@example.org', false],
])('an address in the text %s is named: %s', (text, isNamed) => {
  expect(list.mentions(text)).toBe(isNamed)
})

test('a hash is the HMAC-SHA-256 that the library of Node makes', () => {
  const secret = fc.string({ minLength: 32, maxLength: 100, unit: 'grapheme' })
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ minLength: 300, maxLength: 400, unit: 'binary' }),
  )
  fc.assert(
    fc.property(secret, fc.array(text, { maxLength: 3 }), (given, texts) => {
      const made = createPersonKey(given)
      for (const one of texts)
        expect(made.hash(one)).toBe(createHmac('sha256', given).update(one).digest('hex'))
    }),
  )
})

test('a key is recognised by its check, which is of no use for addresses', () => {
  const other = createPersonKey('another key of the suppression list for tests')
  expect(other.check).not.toBe(key.check)
  expect(other.hash('ada@example.org')).not.toBe(hash)
  expect(key.check).toMatch(/^[0-9a-f]{16}$/)
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})
