/** Redirects, followed by our own rule: HTTP clients send the key header to other origins too. */
import { InvalidResponseError, CrossOriginError } from '../../common/errors.ts'

const MAX_REDIRECTS = 3
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status)
}

/**
 * The target of a redirect.
 *
 * @param path the addresses of this request so far, the redirecting one last
 * @throws CrossOriginError for another scheme, host or port; InvalidResponseError for a loop, more than three
 * redirects, or no usable `Location`.
 */
export function followRedirect(path: readonly URL[], status: number, location: string | null): URL {
  const from = path.at(-1)
  const first = path[0]
  if (from === undefined || first === undefined) throw new RangeError('a redirect comes from somewhere')
  const target = location === null ? null : URL.parse(location, from.href)
  if (target === null) {
    throw new InvalidResponseError(
      `GET ${from.pathname} answered ${status} without a Location that can be read.`,
    )
  }
  // guard: redirects
  if (target.origin !== first.origin) {
    // Its origin, never its path.
    const where = target.origin === 'null' ? `a ${target.protocol} address` : target.origin
    throw new CrossOriginError(
      `GET ${from.pathname} redirects (${status}) to another origin, ${where}, not ${first.origin}. The key is not sent there; ` +
        `if the service has moved, set the base address to its new one.`,
    )
  }
  target.hash = ''
  if (path.some((seen) => seen.href === target.href)) {
    throw new InvalidResponseError(`GET ${first.pathname} redirects in a circle, over ${target.pathname}.`)
  }
  if (path.length > MAX_REDIRECTS) {
    throw new InvalidResponseError(`GET ${first.pathname} redirects more than ${MAX_REDIRECTS} times.`)
  }
  return target
}
