import { describe, expect, test } from 'vitest'
import { InvalidResponseError } from '../../../src/common/errors.ts'
import { parsePing } from '../../../src/common/json/parse-ping.ts'
import { nested } from '../../support/accounts/normalising.ts'

describe('the answer to the ping', () => {
  test('gives the e-mail address', () => {
    expect(parsePing('{"email":"anna@example.org","id":9007199254740993}')).toEqual({
      email: 'anna@example.org',
    })
  })

  test.each([
    '{}',
    '{"email":null}',
    '{"email":""}',
    '{"email":5}',
    String.raw`{"email":"a\u0000"}`,
    String.raw`{"email":"\ud800"}`,
  ])('%s has no e-mail address', (body) => {
    expect(parsePing(body)).toEqual({ email: null })
  })

  test.each(['', '[]', 'null', '"pong"', '{"email":', '<html>'])('%j is a contract error', (body) => {
    expect(() => parsePing(body)).toThrow(InvalidResponseError)
  })

  test('the byte where it is no JSON is told', () => {
    expect(() => parsePing('{"email":"ä"x}')).toThrow('GET /ping: the answer is not JSON (at byte 13)')
  })

  test('P2 may be nested 100,000 deep', () => {
    const body = `{"email":"a@b.example","x":${nested(100_000, '12345678901234567890')}}`
    expect(parsePing(body)).toEqual({ email: 'a@b.example' })
  })
})
