import { expect, test } from 'vitest'
import { isBeforeRequest, toNetworkError } from '../../../src/source/http/network-errors.ts'

const failed = (code: string, syscall?: string) =>
  Object.assign(new Error('failed'), { code, ...(syscall !== undefined && { syscall }) })

test.each([
  ['ENOTFOUND', 'getaddrinfo'],
  ['EAI_AGAIN', 'getaddrinfo'],
  ['ECONNREFUSED', 'connect'],
  ['EHOSTUNREACH', 'connect'],
  ['ENETUNREACH', 'connect'],
  ['ETIMEDOUT', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT'],
  ['EPROTO', 'write'],
  ['ERR_SSL_WRONG_VERSION_NUMBER'],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG'],
  ['ERR_TLS_CERT_ALTNAME_INVALID'],
  ['CERT_HAS_EXPIRED'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['HOSTNAME_MISMATCH'],
] as [string, string?][])('%s comes before a request is sent', (code, syscall) => {
  expect(isBeforeRequest(failed(code, syscall))).toBe(true)
})

test.each([
  ['ETIMEDOUT', 'read'],
  ['EHOSTUNREACH', 'read'],
  ['ECONNRESET', 'read'],
  ['EPIPE', 'write'],
  ['UND_ERR_SOCKET'],
  ['UND_ERR_HEADERS_TIMEOUT'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'],
  ['ABORT_ERR'],
] as [string, string?][])('%s may come after it too', (code, syscall) => {
  expect(isBeforeRequest(failed(code, syscall))).toBe(false)
})

test('of several addresses each one counts', () => {
  const refused = failed('ECONNREFUSED', 'connect')
  expect(isBeforeRequest(new AggregateError([refused, failed('ETIMEDOUT', 'connect')]))).toBe(true)
  expect(isBeforeRequest(new AggregateError([refused, failed('ECONNRESET', 'read')]))).toBe(false)
  expect(isBeforeRequest('a text')).toBe(false)
})

test.each([
  ['EMFILE', 'too many files and connections are open in this process. Raise the limit (ulimit -n)'],
  ['ENFILE', 'too many files and connections are open on this machine.'],
  ['EACCES', 'this machine does not allow a connection to events.example. Check its firewall'],
  ['EPERM', 'this machine does not allow a connection to events.example. Check its firewall'],
  ['EADDRNOTAVAIL', 'this machine has no address or port left for a connection to events.example'],
])('%s is no fault of the service, and is not told as one', (code, why) => {
  const error = toNetworkError(failed(code, 'connect'), new URL('https://events.example/ping'))
  expect(error?.message).toContain(`GET /ping failed: ${why}`)
  expect(error?.message).toContain(code)
})
