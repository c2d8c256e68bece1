/** Addresses of the service: the base address, checked once, and paths below it that nothing can leave. */
import { ContractError, UsageError } from '../errors.ts'

export interface BaseAddress {
  /** Scheme, host and port: the only origin that the key is ever sent to. */
  readonly origin: string
  /** The path without a slash at its end, such as `/api/v1`; empty for the root. */
  readonly path: string
}

/** @throws UsageError for an address that is not plain `http(s)://host[:port]/path`; the message never quotes it. */
export function readBaseAddress(url: URL): BaseAddress {
  const faults: string[] = []
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    faults.push(`its scheme is ${url.protocol} where https: belongs`)
  }
  if (url.username !== '' || url.password !== '') faults.push('it holds a user name or a password')
  if (url.search !== '') faults.push('it holds a query (?…)')
  if (url.hash !== '') faults.push('it holds a fragment (#…)')
  if (faults.length > 0) {
    throw new UsageError(
      `The base address cannot be used: ${faults.join('; ')}. Give it like https://host/api/v1.`,
    )
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}

/**
 * The address of a path below the base address; each segment is percent-encoded.
 *
 * @throws ContractError for a segment that would not stay one segment: empty, `.`, `..`, or with half a
 * surrogate pair, which has no encoding.
 */
export function addressBelow(base: BaseAddress, ...segments: readonly string[]): URL {
  const path = segments.reduce((path, segment) => `${path}/${encodeSegment(segment)}`, base.path)
  const url = new URL(base.origin + path)
  // The last word has the very thing that will be sent: whatever was thought of above, this path is the one meant.
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '') {
    throw new ContractError(`The address ${path} changes when it is written as a URL; it is not asked for.`)
  }
  return url
}

function encodeSegment(segment: string): string {
  const isOneSegment = segment !== '' && segment !== '.' && segment !== '..' && segment.isWellFormed()
  if (isOneSegment) return encodeURIComponent(segment)
  throw new ContractError(
    `The id ${JSON.stringify(segment.slice(0, 50))} cannot be part of an address: it would lead to another path.`,
  )
}
