import { expect, test } from 'vitest'
import { errorForStatus } from '../../../src/source/http/status.ts'

test.each([
  ['', 'GET /ping was answered with 503.'],
  ['{"error":"boom"}', 'GET /ping was answered with 503: {"error":"boom"}.'],
  ['Come back later.', 'GET /ping was answered with 503: Come back later.'],
  [
    'a long page of which this is the beg…',
    'GET /ping was answered with 503: a long page of which this is the beg…',
  ],
])('a refusal with the body "%s" is a whole sentence, for another one follows', (body, message) => {
  expect(errorForStatus(503, {}, '/ping', body, '').message).toBe(message)
})
