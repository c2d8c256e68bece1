/** Addresses of the service: the base address, checked once, and paths below it that nothing can leave. */
import { InvalidResponseError, UsageError } from '../common/errors.ts'
import { optionName } from '../common/option-names.ts'
import { InvalidValueError } from '../common/parse-values.ts'

export interface BaseUrl {
  /** Scheme, host and port: the only origin that the key is ever sent to. */
  readonly origin: string
  /** The path without a slash at its end, such as `/api/v1`; empty for the root. */
  readonly path: string
}

/**
 * The one rule for base addresses, as text of the user or as written by `URL`: `http(s)://host[:port]/path`.
 *
 * @returns the address, or a fault that continues the name of the setting ("must …") and never quotes an address,
 * which may hold a password
 */
export function parseBaseAddress(
  text: string,
): { readonly url: URL; readonly fault: null } | { readonly url: null; readonly fault: string } {
  const url = URL.parse(text)
  if (url === null) return faulty('must be a whole address that begins with https://')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return faulty(`must begin with https://, not ${JSON.stringify(url.protocol.slice(0, 20))}`)
  }
  if (url.username !== '' || url.password !== '') {
    return faulty('must hold no user name or password: the key alone tells who you are')
  }
  if (text.includes('?')) return faulty('must have no query (the part from "?")')
  if (text.includes('#')) return faulty('must have no fragment (the part from "#")')
  return { url, fault: null }
}

function faulty(fault: string) {
  return { url: null, fault }
}

/** Plain http to another machine: the key can be read on the way. On this one it crosses no network. */
export function isUnprotected(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url)
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/**
 * The base address as text, for a caller that cannot say more than one fault at a time.
 *
 * @throws UsageError for an address that is none; the message never quotes it.
 */
export function readBaseUrl(text: string): URL {
  const { url, fault } = parseBaseAddress(text)
  if (url !== null) return url
  throw new UsageError(`The base address ${fault}. Give it like https://host/api/v1.`)
}

/** @throws UsageError as `readBaseUrl` */
export function readBaseAddress({ href }: URL): BaseUrl {
  const url = readBaseUrl(href)
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}

/**
 * The address of a path below the base address; each segment is percent-encoded.
 *
 * @throws InvalidResponseError for a segment that would not stay one segment: empty, `.`, `..`, or with half a
 * surrogate pair, which has no encoding.
 */
export function resolvePath(base: BaseUrl, ...segments: readonly string[]): URL {
  const path = segments.reduce((path, segment) => `${path}/${encodeSegment(segment)}`, base.path)
  const url = new URL(base.origin + path)
  // The last word has the very thing that will be sent: whatever was thought of above, this path is the one meant.
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '') {
    throw new InvalidResponseError(
      `The address ${path} changes when it is written as a URL; it is not asked for.`,
    )
  }
  return url
}

function encodeSegment(segment: string): string {
  // guard: paths
  const isOneSegment = segment !== '' && segment !== '.' && segment !== '..' && segment.isWellFormed()
  if (isOneSegment) return encodeURIComponent(segment)
  throw new InvalidResponseError(
    `The id ${JSON.stringify(segment.slice(0, 50))} cannot be part of an address: it would lead to another path.`,
  )
}

/** The base address of the service. Whether plain http is allowed here is for the reader of both settings. */
export function baseAddress(text: string): URL {
  const { url, fault } = parseBaseAddress(text)
  if (url === null) throw new InvalidValueError(fault)
  return url
}

/**
 * Reads the base address of a service. Plain http is for this machine only, unless the user allows it: the key
 * travels in a header.
 *
 * @throws UsageError; the message never quotes an address that may hold a password.
 */
export function serviceUrl(text: string, allowHttp: boolean): URL {
  const url = readBaseUrl(text)
  if (!allowHttp && isUnprotected(url)) {
    throw new UsageError(
      `The base address is plain http to ${url.hostname}: the key would travel unprotected. ` +
        `Use https, or allow it with ${optionName('allowHttp')}.`,
    )
  }
  return url
}
