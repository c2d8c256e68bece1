import { describe, expect, test } from 'vitest'
import { parseFutureInstant, parsePastInstant } from '../../../src/mirror/instants/parse-instant.ts'
import { parseSince, parseSinceOrLast } from '../../../src/mirror/instants/parse-since.ts'
import { InvalidValueError } from '../../../src/common/parse-values.ts'

describe('a moment, as it is written', () => {
  test.each([
    ['2026-01-01', { at: '2026-01-01T00:00:00Z' }],
    ['2024-02-29', { at: '2024-02-29T00:00:00Z' }],
    ['2026-01-01T12:00:00.5+02:00', { at: '2026-01-01T12:00:00.5+02:00' }],
    ['90d', { msFromNow: -90 * 86_400_000 }],
    ['1h', { msFromNow: -3_600_000 }],
  ])('%s', (text, moment) => {
    expect(parsePastInstant(text)).toEqual(moment)
  })

  test.each([
    '',
    'now',
    'yesterday',
    'infinity',
    '90',
    '0d',
    '1 d',
    '-1d',
    '2y',
    '2026-02-30',
    '2026-1-1',
    '01.02.2026',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
  ])('nothing else: %j', (text) => {
    expect(() => parsePastInstant(text)).toThrow(InvalidValueError)
  })

  test('is told which way 90d goes', () => {
    expect(parseFutureInstant('90d')).toEqual({ msFromNow: 90 * 86_400_000 })
    expect(parseFutureInstant('2030-01-01')).toEqual({ at: '2030-01-01T00:00:00Z' })
    expect(() => parsePastInstant('90')).toThrow('or an age like 90d')
    expect(() => parseFutureInstant('90')).toThrow('or a time from now like 90d')
  })
})

test('the nearest word is named where --since has none of its forms', () => {
  expect(() => parseSince('yesterdy')).toThrow('not "yesterdy" (did you mean yesterday?)')
  expect(() => parseSinceOrLast('Yesterday')).toThrow(
    /^must be last, yesterday, .* \(did you mean yesterday\?\)$/,
  )
  expect(() => parseSince('tomorrow')).toThrow(/not "tomorrow"$/)
})
