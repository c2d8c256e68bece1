import { describe, expect, test } from 'vitest'
import * as values from '../../../src/common/parse-values.ts'

describe('durations', () => {
  const read = values.duration('1ms', '365d')

  test.each([
    ['250ms', 250],
    ['60s', 60_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
  ])('%s is %d ms', (text, ms) => expect(read(text)).toBe(ms))

  test.each(['', '60', '1.5h', '-1s', '1 h', '1H', 's', '1h30m', 'Infinity', '9999999999999999s'])(
    '%j is none, and the message shows the forms',
    (text) => expect(() => read(text)).toThrow('must be a duration like 250ms, 60s, 15m, 1h or 7d'),
  )

  test.each(['0s', '366d'])('%s is out of bounds', (text) =>
    expect(() => read(text)).toThrow('must lie between 1ms and 365d'),
  )

  test('a timer of Node can hold the longest one', () => {
    expect(values.duration('1ms', '999d')(values.longestTimer)).toBeLessThan(2 ** 31)
  })
})

describe('sizes', () => {
  const read = values.size('1KiB', '1024GiB')

  test.each([
    ['1024', 1024],
    ['1GiB', 1024 ** 3],
    ['256MiB', 256 * 1024 ** 2],
    ['500MB', 500_000_000],
    ['2kB', 2000],
    ['2KB', 2000],
    ['2048B', 2048],
  ])('%s is %d bytes', (text, bytes) => expect(read(text)).toBe(bytes))

  test.each(['', '1.5GiB', '1gib', '1 GiB', '-1', '1TB'])('%j is none', (text) =>
    expect(() => read(text)).toThrow('must be a size like 1GiB, 256MiB, 500MB or 1024'),
  )

  test('a body of a few bytes is out of bounds', () => expect(() => read('1023')).toThrow('between 1KiB and'))
})

describe('whole numbers', () => {
  const read = values.integer({ min: 1, max: 256 })
  test.each(['1', '256'])('%s is one', (text) => expect(read(text)).toBe(Number(text)))
  test.each(['0', '257', '', '1e2', '0x10', '3.0', '-1', ' 3', '99999999999999999999'])(
    '%j is none',
    (text) => expect(() => read(text)).toThrow('must be a whole number from 1 to 256'),
  )
})

test('a long value is shown shortened, control characters as escapes', () => {
  const read = values.oneOf(['a', 'b'])
  expect(() => read(`\u001b[31m${'x'.repeat(500)}`)).toThrow(
    /^must be one of a, b, not "\\u001b\[31mx{55}…"$/,
  )
  expect(() => read('two\nlines, \u202edrawn "back"\u0085')).toThrow(
    'not "two\\nlines, \\u202edrawn \\"back\\"\\x85"',
  )
})

test('a name is any text that can be seen', () => {
  expect(values.name('Zoë & co / 日本')).toBe('Zoë & co / 日本')
  for (const text of ['', '  ', 'a\u0000b', 'a\nb', '\ud800']) expect(() => values.name(text)).toThrow()
})
