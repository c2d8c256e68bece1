import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limitRepeats } from '../../../../src/orchestration/queue/limit-repeats.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what fails each second is said at once, then once a minute with how often it was left out', () => {
  const lines: unknown[] = []
  const warn = limitRepeats((...line) => lines.push(line))
  for (let second = 0; second <= 120; second++) {
    warn('no database', { second })
    if (second === 5) warn('no jobs')
    vi.advanceTimersByTime(1000)
  }
  expect(lines).toEqual([
    ['warn', 'no database', { second: 0 }],
    ['warn', 'no jobs', {}],
    ['warn', 'no database', { second: 60, repeats: 59 }],
    ['warn', 'no database', { second: 120, repeats: 59 }],
  ])
})
