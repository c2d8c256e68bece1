import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import { isLoopback, readBaseUrl } from '../../source/url.ts'

/**
 * Reads the base address of a service. Plain http is for this machine only, unless the user allows it: the key
 * travels in a header.
 *
 * @throws UsageError; the message never quotes an address that may hold a password.
 */
export function serviceUrl(text: string, allowHttp: boolean): URL {
  const url = readBaseUrl(text)
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url)) {
    throw new UsageError(
      `The base address is plain http to ${url.hostname}: the key would travel unprotected. ` +
        `Use https, or allow it with ${optionName('allowHttp')}.`,
    )
  }
  return url
}
