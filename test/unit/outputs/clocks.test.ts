import { expect, test } from 'vitest'
import { clockOf } from '../../../src/outputs/notify/digest/clock.ts'
import { formatsIn } from '../../../src/outputs/report/formats.ts'

test('a year before 1 is said to be one, in the report and in digests', () => {
  const first = '0001-01-01T00:00:00Z'
  expect(formatsIn('America/New_York').moment(first)).toBe('Sun 31 Dec 1 BC, 19:03')
  expect(formatsIn('America/New_York').day(first)).toBe('31 Dec 1 BC')
  expect(formatsIn('UTC').moment(first)).toBe('Mon 1 Jan 1, 00:00')
  expect(clockOf('America/New_York')(first)).toBe('Sun 31 Dec 1 BC 19:03')
  expect(clockOf('UTC')('2026-11-26T18:30:00Z')).toBe('Thu 26 Nov 2026 18:30 UTC')
})
