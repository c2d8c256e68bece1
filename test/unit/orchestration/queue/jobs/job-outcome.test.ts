import { describe, expect, test } from 'vitest'
import * as errors from '../../../../../src/common/errors.ts'
import { commandName } from '../../../../../src/common/command-name.ts'
import {
  outcomeOfError,
  outcomeOfUnknown,
  reasonOf,
} from '../../../../../src/orchestration/queue/jobs/job-outcome.ts'

describe('a job whose run was ended', () => {
  test.each([
    ['a key that is refused', new errors.AuthenticationError('')],
    ['another account', new errors.AccountMismatchError('')],
    ['a setting', new errors.ConfigurationError(['x'])],
    ['an address that leads nowhere', new errors.UsageError('')],
    ['an account that the mirror has not', new errors.UnknownAccountError('a', [], '')],
    ['a certificate', new errors.CertificateError('')],
  ])('by %s is dead at once', (_, error) => {
    expect(outcomeOfError(error, false)).toEqual({ is: 'dead', code: error.code })
  })

  test.each([
    ['a service that is away', new errors.UnreachableError('')],
    ['an outage', new errors.OutageError('')],
    ['a pause that the service asked for', new errors.RetryLaterError('', new Date())],
    ['a time limit', new errors.RunTimeoutError('')],
    ['a broken contract', new errors.InvalidResponseError('')],
    ['the database', new errors.DatabaseError('')],
    // Workers are upgraded one after the other: the next try may be that of one that was.
    ['a schema of another version', new errors.SchemaVersionError('')],
    ['a conflict', new errors.TransactionConflictError('')],
    ['an interruption that nobody asked for', new errors.InterruptedError('')],
  ])('by %s is tried again', (_, error) => {
    expect(outcomeOfError(error, false)).toEqual({ is: 'retried', code: error.code })
  })

  test('by a fault of this program is tried again', () => {
    expect(outcomeOfError(new TypeError('x'), false)).toEqual({ is: 'retried', code: 'unexpected' })
  })

  test('by another run, or by a stop, is no failure', () => {
    for (const error of [new errors.AccountLockedError(''), new errors.LeaseLostError('')])
      expect(outcomeOfError(error, false)).toEqual({ is: 'returned', code: error.code, afterS: 30 })
    const stopped = new errors.InterruptedError('')
    expect(outcomeOfError(stopped, true)).toEqual({ is: 'returned', code: 'interrupted', afterS: 0 })
  })
})

test('a job of an account that a worker does not have counts no try, waits for another worker, and ends after an hour', () => {
  const first = '2026-11-24T10:00:00.000Z'
  const after = (seconds: number) => outcomeOfUnknown(first, new Date(Date.parse(first) + seconds * 1000))
  const returned = { is: 'returned', code: 'not_configured', unknownSince: first }
  expect(outcomeOfUnknown(undefined, new Date(first))).toEqual({ ...returned, afterS: 3600 })
  expect(after(20)).toEqual({ ...returned, afterS: 3580 })
  expect(after(3599)).toEqual({ ...returned, afterS: 1 })
  expect(after(-5)).toEqual({ ...returned, afterS: 3600 })
  expect(after(3600)).toEqual({ is: 'dead', code: 'not_configured' })
})

test('each code has a reason for people, also one that is new', () => {
  for (const code of ['key_refused', 'worker_lost', 'not_configured', 'outage'])
    expect(reasonOf('ada', code)).not.toContain(code)
  expect(reasonOf('the choir', 'account_mismatch')).toContain(
    `${commandName()} doctor --account 'the choir' says which`,
  )
  expect(reasonOf('ada', 'body_too_large')).toContain('body_too_large')
})
