import { describe, expect, test } from 'vitest'
import { hasRetryBudget } from '../../../src/source/retry/policy.ts'
import {
  type RetryDecision,
  retryDecision,
  type FailedAttempt,
  isTransientStatus,
  isRejection,
} from '../../../src/source/retry/policy.ts'
import { readHttpDate, readRetryAfter } from '../../../src/source/retry/retry-after.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

const failure: FailedAttempt = {
  outcome: { status: 503 },
  attempts: 1,
  rejections: 1,
  retryAfter: null,
  serviceDate: null,
  random: 0.5,
  now: noon,
  runRemainingMs: null,
  maxPauseMs: 900_000,
  counts: { requests: 10, retries: 0, rejected: 0 },
  rejectingForMs: 0,
  queueState: 'unqueued',
  pagesRead: 0,
  othersSucceeded: false,
  randomShare: null,
}

function decided(other: Partial<FailedAttempt>): RetryDecision {
  return retryDecision({ ...failure, ...other })
}

describe('what is tried again', () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 520, 599])('%i may pass by itself', (status) => {
    expect(isTransientStatus(status)).toBe(true)
    expect(decided({ outcome: { status } })).toHaveProperty('wait')
  })

  test.each([201, 304, 400, 401, 403, 404, 410, 422, 501, 505, 600])('%i does not', (status) => {
    expect(decided({ outcome: { status } })).toMatchObject({ pause: 0, giveUp: 'final' })
  })

  test('an error without an answer is tried again when it may pass, and only then', () => {
    expect(decided({ outcome: { retryable: true } })).toHaveProperty('wait')
    expect(decided({ outcome: { retryable: false } })).toMatchObject({ pause: 0, giveUp: 'final' })
  })

  test('a request is tried three times at most', () => {
    expect(decided({ attempts: 2 })).toHaveProperty('wait')
    expect(decided({ attempts: 3 })).toMatchObject({ pause: 0, giveUp: 'attempts' })
  })
})

describe('how long it waits', () => {
  test('full jitter: from nothing to a bound that doubles with every try', () => {
    expect(decided({ random: 0 })).toMatchObject({ pause: 0, wait: 0 })
    expect(decided({ attempts: 1, random: 0.999 })).toMatchObject({ pause: 0, wait: 249 })
    expect(decided({ attempts: 2, random: 0.999 })).toMatchObject({ pause: 0, wait: 499 })
  })

  test('H5 Retry-After in seconds closes the gate; the jitter comes on top of it', () => {
    expect(decided({ retryAfter: '7', random: 0 })).toMatchObject({ pause: 7000, wait: 7000 })
    expect(decided({ retryAfter: '7', random: 0.5 })).toMatchObject({ pause: 7000, wait: 7125 })
  })

  test('H6 Retry-After as a date is measured against the clock of the service', () => {
    const dates = {
      retryAfter: 'Sun, 01 Mar 2026 10:00:05 GMT',
      serviceDate: 'Sun, 01 Mar 2026 10:00:00 GMT',
    }
    expect(decided({ ...dates, random: 0 })).toMatchObject({ pause: 5000, wait: 5000 })
  })

  test('the gate closes for the others even when this request is given up', () => {
    expect(decided({ rejections: 10, retryAfter: '7' })).toMatchObject({ pause: 7000, giveUp: 'rejections' })
  })

  test.each(['soon', '-1', '1.5', '', '9999999999', '30 February', 'NaN'])(
    'H8 nonsense "%s" counts as absent',
    (retryAfter) => {
      expect(decided({ retryAfter, random: 0 })).toMatchObject({ pause: 0, wait: 0 })
    },
  )

  test('H8 more than a quarter of an hour is not waited for', () => {
    expect(decided({ retryAfter: '900', random: 0 })).toMatchObject({ pause: 900_000, wait: 900_000 })
    expect(decided({ retryAfter: '901' })).toMatchObject({ pause: 901_000, giveUp: 'paused' })
  })

  test('H8 with a run deadline, what is left of it is the bound', () => {
    expect(
      decided({ retryAfter: '901', runRemainingMs: 3_600_000, maxPauseMs: 3_600_000, random: 0 }),
    ).toMatchObject({
      pause: 901_000,
      wait: 901_000,
    })
    expect(decided({ retryAfter: '3', runRemainingMs: 2000, maxPauseMs: 2000 })).toMatchObject({
      pause: 3000,
      giveUp: 'paused',
    })
  })
})

describe('the budget of retries', () => {
  test('is three in a short run and a tenth of the requests in a long one', () => {
    expect(hasRetryBudget({ requests: 1, retries: 2, rejected: 0 })).toBe(true)
    expect(hasRetryBudget({ requests: 1, retries: 3, rejected: 0 })).toBe(false)
    expect(hasRetryBudget({ requests: 39, retries: 3, rejected: 0 })).toBe(false)
    expect(hasRetryBudget({ requests: 40, retries: 3, rejected: 0 })).toBe(true)
    expect(hasRetryBudget({ requests: 1000, retries: 99, rejected: 0 })).toBe(true)
    expect(hasRetryBudget({ requests: 1000, retries: 100, rejected: 0 })).toBe(false)
  })

  test('refused requests earn no retries', () => {
    expect(hasRetryBudget({ requests: 139, retries: 3, rejected: 100 })).toBe(false)
    expect(hasRetryBudget({ requests: 140, retries: 3, rejected: 100 })).toBe(true)
  })

  test('ends the tries of a request when it is used up', () => {
    expect(decided({ counts: { requests: 10, retries: 3, rejected: 0 } })).toMatchObject({
      pause: 0,
      giveUp: 'budget',
    })
  })
})

describe('a refusal: 429, or 503 with Retry-After', () => {
  const refusals = [
    ['H7 429', { outcome: { status: 429 } }],
    ['H5 503 with Retry-After', { retryAfter: '0' }],
  ] as const

  test.each(refusals)('%s spends neither a try nor the budget', (_, refusal) => {
    const spent = { attempts: 3, counts: { requests: 10, retries: 3, rejected: 0 } }
    expect(isRejection({ ...failure, ...refusal })).toBe(true)
    expect(decided({ ...refusal, ...spent, rejections: 9, random: 0.999 })).toMatchObject({
      pause: 0,
      wait: 249,
    })
  })

  test.each(refusals)('%s ten times fails the request', (_, refusal) => {
    expect(decided({ ...refusal, rejections: 9 })).toHaveProperty('wait')
    expect(decided({ ...refusal, rejections: 10 })).toMatchObject({ pause: 0, giveUp: 'rejections' })
  })

  test.each([
    ['503 without Retry-After', { outcome: { status: 503 } }],
    ['H8 503 with nonsense', { outcome: { status: 503 }, retryAfter: 'soon' }],
    ['502 with Retry-After', { outcome: { status: 502 }, retryAfter: '1' }],
    ['no answer', { outcome: { retryable: true } }],
  ])('%s is none', (_, other) => {
    expect(isRejection({ ...failure, ...other })).toBe(false)
    expect(decided({ ...other, attempts: 3, rejections: 0 })).toHaveProperty('giveUp', 'attempts')
  })

  test('H26 an event goes to the back of the queue at its second refusal, and only its first one concerns all', () => {
    const event = { outcome: { status: 429 }, retryAfter: '5', queueState: 'queued' } as const
    expect(decided(event)).toMatchObject({ pause: 5000, isAlone: false, wait: 5125 })
    expect(decided({ ...event, rejections: 2, othersSucceeded: true })).toEqual({
      pause: 5000,
      isAlone: true,
      giveUp: 'deferred',
    })
    // Nothing was answered between: it may be the rate after all.
    expect(decided({ ...event, rejections: 2 })).toMatchObject({ isAlone: false, giveUp: 'deferred' })
    expect(decided({ ...event, queueState: 'requeued' })).toMatchObject({ isAlone: true, giveUp: 'deferred' })
    expect(decided({ ...event, queueState: 'requeued', pagesRead: 1 })).toMatchObject({
      isAlone: true,
      wait: 5125,
    })
  })

  test('H27 random refusals concern only the request that met with one, and so many of them are chance', () => {
    const random = { outcome: { status: 429 }, queueState: 'queued', randomShare: 0.5 } as const
    expect(decided(random)).toMatchObject({ isAlone: true, wait: 125 })
    expect(decided({ ...random, rejections: 9 })).toHaveProperty('wait')
    expect(decided({ ...random, rejections: 10 })).toMatchObject({ giveUp: 'deferred' })
    expect(decided({ ...random, queueState: 'unqueued', rejections: 16 })).toHaveProperty('wait')
    expect(decided({ ...random, queueState: 'unqueued', rejections: 17 })).toMatchObject({
      giveUp: 'rejections',
    })
  })

  test('H26 a pause longer than the run may wait ends it, but for one that concerns only a single event', () => {
    const event = { outcome: { status: 429 }, retryAfter: '901', queueState: 'queued' } as const
    expect(decided(event)).toMatchObject({ giveUp: 'paused' })
    expect(decided({ ...event, queueState: 'requeued' })).toMatchObject({ giveUp: 'deferred' })
  })

  test('a service that refuses everything for more than a quarter of an hour ends the run, unless a deadline will', () => {
    const closed = { outcome: { status: 429 }, rejectingForMs: 900_001 }
    expect(decided(closed)).toMatchObject({ pause: 0, giveUp: 'rejecting' })
    expect(decided({ ...closed, runRemainingMs: 1000 })).toHaveProperty('wait')
    expect(decided({ ...closed, rejectingForMs: 900_000 })).toHaveProperty('wait')
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
