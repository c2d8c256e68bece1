import { describe, expect, test } from 'vitest'
import { hasRetryLeft } from '../../src/source/budget.ts'
import { type Decision, decide, type Failure, isPassingStatus } from '../../src/source/retry.ts'
import { readHttpDate, readRetryAfter } from '../../src/source/retry-after.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

function decided(failure: Partial<Failure>): Decision {
  return decide({
    outcome: { status: 503 },
    attempt: 1,
    retryAfter: null,
    serviceDate: null,
    random: 0.5,
    now: noon,
    runLeftMs: null,
    counts: { requests: 10, retries: 0 },
    ...failure,
  })
}

describe('what is tried again', () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 520, 599])('%i may pass by itself', (status) => {
    expect(isPassingStatus(status)).toBe(true)
    expect(decided({ outcome: { status } })).toHaveProperty('wait')
  })

  test.each([201, 304, 400, 401, 403, 404, 410, 422, 501, 505, 600])('%i does not', (status) => {
    expect(decided({ outcome: { status } })).toEqual({ pause: 0, giveUp: 'final' })
  })

  test('an error without an answer is tried again when it may pass, and only then', () => {
    expect(decided({ outcome: { retryable: true } })).toHaveProperty('wait')
    expect(decided({ outcome: { retryable: false } })).toEqual({ pause: 0, giveUp: 'final' })
  })

  test('a request is tried three times at most', () => {
    expect(decided({ attempt: 2 })).toHaveProperty('wait')
    expect(decided({ attempt: 3 })).toEqual({ pause: 0, giveUp: 'tries' })
  })
})

describe('how long it waits', () => {
  test('full jitter: from nothing to a bound that doubles with every try', () => {
    expect(decided({ random: 0 })).toEqual({ pause: 0, wait: 0 })
    expect(decided({ attempt: 1, random: 0.999 })).toEqual({ pause: 0, wait: 249 })
    expect(decided({ attempt: 2, random: 0.999 })).toEqual({ pause: 0, wait: 499 })
  })

  test('H5 Retry-After in seconds closes the gate; the jitter comes on top of it', () => {
    expect(decided({ retryAfter: '7', random: 0 })).toEqual({ pause: 7000, wait: 7000 })
    expect(decided({ retryAfter: '7', random: 0.5 })).toEqual({ pause: 7000, wait: 7125 })
  })

  test('H6 Retry-After as a date is measured against the clock of the service', () => {
    const dates = {
      retryAfter: 'Sun, 01 Mar 2026 10:00:05 GMT',
      serviceDate: 'Sun, 01 Mar 2026 10:00:00 GMT',
    }
    expect(decided({ ...dates, random: 0 })).toEqual({ pause: 5000, wait: 5000 })
  })

  test('the gate closes for the others even when this request is given up', () => {
    expect(decided({ attempt: 3, retryAfter: '7' })).toEqual({ pause: 7000, giveUp: 'tries' })
  })

  test.each(['soon', '-1', '1.5', '', '9999999999', '30 February', 'NaN'])(
    'H8 nonsense "%s" counts as absent',
    (retryAfter) => {
      expect(decided({ retryAfter, random: 0 })).toEqual({ pause: 0, wait: 0 })
    },
  )

  test('H8 more than a quarter of an hour is not waited for', () => {
    expect(decided({ retryAfter: '900', random: 0 })).toEqual({ pause: 900_000, wait: 900_000 })
    expect(decided({ retryAfter: '901' })).toEqual({ pause: 901_000, giveUp: 'paused' })
  })

  test('H8 with a run deadline, what is left of it is the bound', () => {
    expect(decided({ retryAfter: '901', runLeftMs: 3_600_000, random: 0 })).toEqual({
      pause: 901_000,
      wait: 901_000,
    })
    expect(decided({ retryAfter: '3', runLeftMs: 2000 })).toEqual({ pause: 3000, giveUp: 'paused' })
  })
})

describe('the budget of retries', () => {
  test('is three in a short run and a tenth of the requests in a long one', () => {
    expect(hasRetryLeft({ requests: 1, retries: 2 })).toBe(true)
    expect(hasRetryLeft({ requests: 1, retries: 3 })).toBe(false)
    expect(hasRetryLeft({ requests: 39, retries: 3 })).toBe(false)
    expect(hasRetryLeft({ requests: 40, retries: 3 })).toBe(true)
    expect(hasRetryLeft({ requests: 1000, retries: 99 })).toBe(true)
    expect(hasRetryLeft({ requests: 1000, retries: 100 })).toBe(false)
  })

  test('ends the tries of a request when it is used up', () => {
    expect(decided({ counts: { requests: 10, retries: 3 } })).toEqual({ pause: 0, giveUp: 'budget' })
  })
})

describe('dates of HTTP', () => {
  test.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    '%s is read',
    (text) => {
      expect(readHttpDate(text)).toBe(Date.parse('1994-11-06T08:49:37Z'))
    },
  )

  test.each(['1994-11-06T08:49:37Z', 'Sun, 06 Nov 1994 08:49:37 +0100', 'now', ''])('%s is not', (text) => {
    expect(readHttpDate(text)).toBeNull()
  })

  test('a moment that has passed asks for no wait', () => {
    expect(readRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT', null, noon)).toBe(0)
  })
})
