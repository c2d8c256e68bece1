import { expect, test } from 'vitest'
import { clockIn, momentsIn } from '../../../src/common/text/moments.ts'

test('a year before 1 is said to be one, in the report and in digests', () => {
  const first = '0001-01-01T00:00:00Z'
  expect(momentsIn('America/New_York').moment(first)).toBe('Sun 31 Dec 1 BC, 19:03')
  expect(momentsIn('America/New_York').day(first)).toBe('31 Dec 1 BC')
  expect(momentsIn('UTC').moment(first)).toBe('Mon 1 Jan 1, 00:00')
  expect(clockIn('America/New_York')(first)).toBe('Sun 31 Dec 1 BC 19:03')
  expect(clockIn('UTC')('2026-11-26T18:30:00Z')).toBe('Thu 26 Nov 2026 18:30 UTC')
  expect(clockIn('Europe/Berlin')('2026-09-05T18:30:00Z')).toBe('Sat 5 Sep 2026 20:30')
})
