import { UsageError } from '../errors.ts'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Reads the base address of a service. Plain http is for this machine only, unless the user allows it: the key
 * travels in a header.
 *
 * @throws UsageError; the message never quotes an address that may hold a password.
 */
export function serviceUrl(text: string, allowHttp: boolean): URL {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError(
      'The base address is not an http or https address. Give it like https://host/api/v1.',
    )
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      'The base address must hold no user name, password, query or fragment. Give it like https://host/api/v1.',
    )
  }
  if (url.protocol === 'http:' && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new UsageError(
      `The base address is plain http to ${url.hostname}: the key would travel unprotected. ` +
        'Use https, or allow it with --allow-http (HEADCOUNT_ALLOW_HTTP=1).',
    )
  }
  return url
}
