import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Utf8Validator } from '../../../src/common/json/utf8.ts'
import { examples } from '../../support/seed.ts'

const byte = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
)
const bytes = fc.oneof(
  fc.array(byte, { maxLength: 12 }).map((values) => Buffer.from(values)),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text)),
  fc.tuple(fc.string({ unit: 'binary', maxLength: 6 }), fc.nat(3)).map(([text, cut]) => {
    const whole = Buffer.from(text)
    return whole.subarray(0, Math.max(0, whole.length - cut))
  }),
)

test('N12 bytes in pieces are UTF-8 exactly when they are whole, wherever a character is split', () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), (all, lengths) => {
      const check = new Utf8Validator()
      for (let at = 0, turn = 0; at < all.length; turn += 1) {
        // A piece may be empty, but not every one.
        const length = (lengths[turn % lengths.length] ?? 0) + (turn % 2)
        check.add(all.subarray(at, at + length))
        at += length
      }
      expect(check.end()).toBe(isUtf8(all))
    }),
    { numRuns: examples(2000) },
  )
})
