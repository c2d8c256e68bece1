/** Addresses of the service: the base address, checked once, and the paths below it. */
import { InvalidResponseError, UsageError } from '../common/errors.ts'
import { isLoopback } from '../common/listen.ts'
import { optionName } from '../common/options/option-names.ts'
import { InvalidValueError, quote } from '../common/parse-values.ts'

/**
 * Reads a base address: `http(s)://host[:port]/path`. Whether plain http is allowed is decided by the caller.
 *
 * @throws InvalidValueError that never quotes the address, which may hold a password
 */
export function baseAddress(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw new InvalidValueError('must be a whole address that begins with https://')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const scheme = JSON.stringify(url.protocol.slice(0, 20))
    throw new InvalidValueError(`must begin with https://, not ${scheme}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidValueError('must hold no user name or password: the key alone tells who you are')
  }
  if (text.includes('?')) throw new InvalidValueError('must have no query (the part from "?")')
  if (text.includes('#')) throw new InvalidValueError('must have no fragment (the part from "#")')
  return url
}

/** Plain http to another machine exposes the key. Plain http to this machine crosses no network. */
export function isUnprotected(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url.hostname)
}

/**
 * The address of a path below the base address; each segment is percent-encoded.
 *
 * @throws InvalidResponseError for a segment that does not stay one segment: empty, `.`, `..`, or with half a
 * surrogate pair, which has no encoding.
 */
export function resolvePath(base: URL, ...segments: readonly string[]): URL {
  const root = base.pathname.replace(/\/+$/, '')
  const path = segments.reduce((path, segment) => `${path}/${encodeSegment(segment)}`, root)
  const url = new URL(base.origin + path)
  // `url` is what will be sent. This check holds even when the encoding above has a gap.
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
    `The id ${quote(segment)} cannot be part of an address: it would lead to another path.`,
  )
}

/**
 * Reads the base address of a service. Plain http is for this machine only, unless the user allows it.
 *
 * @throws UsageError that never quotes the address
 */
export function serviceUrl(text: string, allowHttp: boolean): URL {
  const url = readBaseAddress(text)
  if (!allowHttp && isUnprotected(url)) {
    throw new UsageError(
      `The base address is plain http to ${url.hostname}: the key would travel unprotected. ` +
        `Use https, or allow it with ${optionName('allowHttp')}.`,
    )
  }
  return url
}

function readBaseAddress(text: string): URL {
  try {
    return baseAddress(text)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new UsageError(`The base address ${error.message}. Give it like https://host/api/v1.`)
  }
}
