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

test('a key that is refused for one event may be right, and is not to be renewed in vain', () => {
  const message = (path: string) => errorForStatus(403, {}, path, '', 'make a new key.').message
  expect(message('/api/v1/events/gala/responses')).toMatch(
    /make a new key\. If other events are answered, the key is right/,
  )
  expect(message('/api/v1/events')).toMatch(/make a new key\.$/)
})
