import { describe, expect, test } from 'vitest'
import { looksEmpty } from '../../../src/sync/deletions/emptied-lists.ts'
import type { Evidence } from '../../../src/sync/deletions/emptied-lists.ts'

const evidence = (more: Partial<Evidence>): Evidence => ({
  emptied: 1,
  withResponses: 5,
  rows: 1,
  deletedBefore: 0,
  liveAtStart: 50,
  ...more,
})

describe('lists that came back empty', () => {
  test.each<[string, Partial<Evidence>, boolean]>([
    ['S16 three of three look like an outage', { emptied: 3, withResponses: 0, rows: 3 }, true],
    ['S16 three of five: more than half', { emptied: 3, withResponses: 2, rows: 3 }, true],
    ['three of six: half', { emptied: 3, withResponses: 3, rows: 300 }, false],
    ['two of three are an organiser’s work', { emptied: 2, withResponses: 1, rows: 300 }, false],
    ['one of one, the last response of it', { withResponses: 0 }, false],
    ['one of one, ten rows', { withResponses: 0, rows: 10 }, false],
    ['S16 one of one, eleven rows', { withResponses: 0, rows: 11 }, true],
    ['one of one, a tenth of the account', { withResponses: 0, rows: 50, liveAtStart: 500 }, false],
    ['S16 two of two, more than a tenth', { emptied: 2, withResponses: 0, rows: 51, liveAtStart: 500 }, true],
    ['S16 one more after nine that went like it', { withResponses: 0, deletedBefore: 9 }, false],
    ['S16 one more after ten', { withResponses: 0, deletedBefore: 10 }, true],
    [
      'one, while another list has responses: what went before does not count',
      { withResponses: 1, deletedBefore: 99 },
      false,
    ],
  ])('%s', (_, more, expected) => {
    expect(looksEmpty(evidence(more))).toBe(expected)
  })
})
