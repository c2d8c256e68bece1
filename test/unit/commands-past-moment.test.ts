import { describe, expect, test } from 'vitest'
import { pastMoment } from '../../src/commands/past-moment.ts'
import { ValueFault } from '../../src/config/values.ts'

describe('a moment of the past, as it is written', () => {
  test.each([
    ['2026-01-01', { at: '2026-01-01T00:00:00Z' }],
    ['2024-02-29', { at: '2024-02-29T00:00:00Z' }],
    ['2026-01-01T12:00:00.5+02:00', { at: '2026-01-01T12:00:00.5+02:00' }],
    ['90d', { ageMs: 90 * 86_400_000 }],
    ['1h', { ageMs: 3_600_000 }],
  ])('%s', (text, moment) => {
    expect(pastMoment(text)).toEqual(moment)
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
    expect(() => pastMoment(text)).toThrow(ValueFault)
  })
})
