import { describe, expect, test } from 'vitest'
import { drawBar } from '../../../src/commands/output/format/bar.ts'
import { formatShortAge } from '../../../src/commands/demo/questions.ts'
import { monthText, momentText, wallClockText } from '../../../src/common/text/moments.ts'

describe('a bar', () => {
  test('fills its columns at the most, in steps of an eighth', () => {
    expect(drawBar(8, 8, 4)).toBe('████')
    expect(drawBar(5, 8, 4)).toBe('██▌')
  })

  test('of something small is still seen, of nothing is not', () => {
    expect(drawBar(1, 10_000, 10)).toBe('▏')
    expect(drawBar(0, 10, 10)).toBe('')
    expect(drawBar(0, 0, 10)).toBe('')
  })
})

describe('a moment', () => {
  test('is shown as sent: an instant in UTC, a wall clock as it stands', () => {
    expect(momentText('2026-12-05T18:30:00Z')).toBe('Sat 5 Dec 2026 18:30 UTC')
    expect(wallClockText('2026-09-05T00:05:00')).toBe('Sat 5 Sep 00:05')
    expect(monthText('2026-09')).toBe('Sep 2026')
    expect(monthText('2026-11-01')).toBe('Nov 2026')
  })

  test('has an age in one unit', () => {
    const age = (seconds: number) =>
      formatShortAge('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1) + seconds * 1000)
    expect(age(59 * 60 + 59)).toBe('59 min ago')
    expect(age(23 * 3600 + 60)).toBe('23 h ago')
    expect(age(49 * 3600)).toBe('2 d ago')
    expect(age(5)).toBe('just now')
  })
})
