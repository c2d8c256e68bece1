/** Errors below HTTP, explained: the host, the cause, and what to do. */
import { errorCode } from '../../common/error-code.ts'
import {
  CertificateError,
  InvalidResponseError,
  type HeadcountError,
  UnreachableError,
} from '../../common/errors.ts'
import { certificateCode } from './certificate-code.ts'
import { ProxyError } from './proxy.ts'
import { RequestTimeoutError } from '../timeouts/request-timeout.ts'

type Explain = (host: string) => string

const explanations: Readonly<Record<string, Explain>> = {
  ENOTFOUND: (host) => `the name ${host} is not known. Check the base address and the name service (DNS)`,
  EAI_AGAIN: (host) => `the name service (DNS) gave no answer for ${host}. Check this machine's network`,
  ECONNREFUSED: (host) => `${host} refused the connection. Is the service running, and the port right?`,
  EHOSTUNREACH: (host) => `there is no route to ${host}. Check this machine's network`,
  ENETUNREACH: (host) => `there is no route to ${host}. Check this machine's network`,
  EACCES: (host) => `this machine does not allow a connection to ${host}. Check its firewall`,
  EPERM: (host) => `this machine does not allow a connection to ${host}. Check its firewall`,
  EADDRNOTAVAIL: (host) => `this machine has no address or port left for a connection to ${host}`,
  EMFILE: () => `too many files and connections are open in this process. Raise the limit (ulimit -n)`,
  ENFILE: () => `too many files and connections are open on this machine. Raise the limit (fs.file-max)`,
  ETIMEDOUT: (host) => `${host} did not accept the connection. Check the address, the network and firewalls`,
  UND_ERR_CONNECT_TIMEOUT: (host) =>
    `${host} did not answer the connection in time. Check the address, the network and firewalls`,
  ECONNRESET: (host) => `${host} broke the connection off`,
  EPIPE: (host) => `${host} broke the connection off`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before the answer was whole`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (host) =>
    `the answer of ${host} is shorter than it says (Content-Length), or broken behind that header`,
  HPE: (host) => `the answer of ${host} is not HTTP, or breaks off`,
  ERR_ASSERTION: (host) =>
    `the answer of ${host} is not HTTP/1.1: its status is below 100, or it changes the protocol (101) unasked`,
  Z_BUF_ERROR: (host) => `the compressed answer of ${host} ends too early`,
}

/**
 * What undici 8.12 says of UND_ERR_SOCKET beside a connection that was closed. It takes no 100, asked or not, although
 * RFC 9110 (section 15.2) lets a service send one.
 */
const refusals: Readonly<Record<string, Explain>> = {
  'bad response': (host) =>
    `${host} sent "100 Continue" before its answer, which the HTTP client of this program (undici) refuses. ` +
    'Nothing in the request asks for it: switch it off in the service, or in the proxy before it',
  'bad upgrade': (host) => `the answer of ${host} changes the protocol (101) unasked`,
}

const certificateRemedies: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    'it was made for another name. Use the name in the certificate as base address',
  CERT_HAS_EXPIRED: 'it has expired. The service must renew it; check this machine’s clock, too',
  CERT_NOT_YET_VALID: 'it is not valid yet. Check this machine’s clock',
}
const unknownIssuer =
  'its issuer is not trusted. For an issuer of your own, name its certificate in NODE_EXTRA_CA_CERTS, or set NODE_USE_SYSTEM_CA=1 where this machine trusts it'

const noTlsCode = /^(?:EPROTO|ERR_SSL_)/
// undici's parser throws assertion errors for some invalid responses.
// guard: an answer that is no HTTP
const networkCode = /^(?:UND_ERR_|HPE|E[A-Z0-9]+$|EAI_|Z_|ERR_ASSERTION$)/
const timeOut = /^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/
const ownFault = /^UND_ERR_(?:INVALID_|NOT_SUPPORTED|ABORTED|DESTROYED|CLOSED)/

/** What the system was asked for when a connection does not come about. */
const connecting = /^(?:connect|getaddrinfo)$/
const beforeRequest = /^(?:UND_ERR_CONNECT_TIMEOUT|EPROTO)$/
/** TLS that was never agreed on. Other errors of it break off what was sent already. */
const handshakeCode = /^ERR_SSL_.*(?:WRONG_VERSION_NUMBER|PROTOCOL|HANDSHAKE|PACKET_LENGTH)/

/**
 * Whether an error came before a request was whole on its way, so that nobody can have acted on it. What may come later too
 * is not: a connection that breaks off, and a time limit of one that was there.
 */
export function isBeforeRequest(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isBeforeRequest)
  if (!(error instanceof Error)) return false
  if (error instanceof ProxyError) return true
  if ('syscall' in error && connecting.test(String(error.syscall))) return true
  const code = codeOf(error) ?? ''
  return beforeRequest.test(code) || handshakeCode.test(code) || certificateCode.test(code)
}

/**
 * The HeadcountError for an error of the HTTP client, a socket, TLS or zlib; null for any other error, which is a bug
 * of this program.
 */
export function toNetworkError(cause: unknown, url: URL): HeadcountError | null {
  if (cause instanceof ProxyError) return cause.toUnreachableError(url)
  const code = codeOf(cause)
  if (code === null || ownFault.test(code)) return null
  const { host, hostname, pathname } = url
  if (certificateCode.test(code)) {
    const why = certificateRemedies[code] ?? unknownIssuer
    return new CertificateError(`The certificate of ${host} is refused: ${why} (${code}).`, { cause })
  }
  if (noTlsCode.test(code)) {
    return new CertificateError(
      `${host} did not agree on TLS (${code}). Does the base address need http: or another port?`,
      { cause },
    )
  }
  if (code === 'Z_DATA_ERROR') {
    return new InvalidResponseError(`The answer of ${host} says that it is gzip, and is not.`, { cause })
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new InvalidResponseError(`The headers that ${host} answers are too large (16 KiB).`, { cause })
  }
  if (!networkCode.test(code)) return null
  const isName = code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  const explain = refusalOf(cause, code) ?? explanations[code]
  const why = explain?.(isName ? hostname : host) ?? `the answer of ${host} is broken on the wire`
  const Failure = timeOut.test(code) ? RequestTimeoutError : UnreachableError
  return new Failure(`GET ${pathname} failed: ${why} (${code}).`, { cause })
}

function refusalOf(error: unknown, code: string): Explain | undefined {
  return code === 'UND_ERR_SOCKET' && error instanceof Error ? refusals[error.message] : undefined
}

/** The code of an error, or of the first error in a group (one for each attempted address). */
function codeOf(error: unknown): string | null {
  const code = errorCode(error)
  if (code !== null || !(error instanceof Error)) return code
  // undici 8.12 omits the code of its parser's errors.
  if (error.name === 'HTTPParserError') return 'HPE'
  return error instanceof AggregateError ? codeOf(error.errors[0]) : null
}
