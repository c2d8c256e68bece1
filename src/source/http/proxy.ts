/** The HTTP proxy between this machine and a service: its address, and how its errors are told. */
import { toError } from '../../common/abort.ts'
import { errorCode } from '../../common/error-code.ts'
import { UnreachableError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { InvalidValueError } from '../../common/parse-values.ts'
import { isDecodable } from '../../common/text/is-decodable.ts'
import { certificateCode } from './certificate-code.ts'

const FORM = 'http://host:port'
const FORM_WITH_LOGIN = 'http://user:password@host:port'
const ENCODED = 'user name and password percent-encoded (% is %25, @ is %40, / is %2F)'

/**
 * Reads the address of a proxy: `http(s)://[user:password@]host[:port]`; without a scheme it is http.
 *
 * @throws InvalidValueError that never quotes the address, which may hold a password
 */
export function parseProxy(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  // In a password, `/`, `?` and `#` end the host.
  const form = text.includes('@') ? `${FORM_WITH_LOGIN} with ${ENCODED}` : FORM
  if (url === null || url.hostname === '')
    throw new InvalidValueError(`must be the address of a proxy, like ${form}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new InvalidValueError(
      `must begin with http:// or https://, like ${FORM}: no other kind of proxy is known here`,
    )
  if (!isDecodable(url.username + url.password)) throw new InvalidValueError(`must have its ${ENCODED}`)
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new InvalidValueError(`must end with the port, like ${form}`)
  return url
}

/** The option `proxy` of a program; null when it is not given. @throws UsageError that never quotes it */
export function proxyOption(text: string | undefined): URL | null {
  return text === undefined ? null : parseOption('proxy', () => parseProxy(text))
}

/** No connection through a proxy. Nothing was sent to the server behind it. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  /** Its status, when it answered. */
  readonly status: number | null
  readonly #proxy: URL

  constructor(proxy: URL, status: number | null, cause?: unknown) {
    super(`no connection through the proxy ${proxy.host}`, { cause })
    this.#proxy = proxy
    this.status = status
  }

  /** @param host of the server, for which the proxy was asked */
  reason(host: string): string {
    const { host: proxy, username } = this.#proxy
    const code = errorCode(this.cause) ?? ''
    if (certificateCode.test(code))
      return `the certificate of the proxy ${proxy} is refused (${code}). It must be of the host in ${optionName('proxy')}, and its issuer be trusted: NODE_EXTRA_CA_CERTS names one of your own`
    // It may try a service that says nothing for a minute.
    if (code === 'UND_ERR_HEADERS_TIMEOUT')
      return `the proxy ${proxy} did not say in time that it is connected to ${host}. Is the service running, and does the proxy reach it?`
    if (this.status === null)
      return `there is no connection to the proxy ${proxy} (${reasonOf(this.cause)}). Check ${optionName('proxy')} and the network`
    if (this.status === 407)
      return username === ''
        ? `the proxy ${proxy} asks for a user name and a password (407). Give them in ${optionName('proxy')}, like ${FORM_WITH_LOGIN}`
        : `the proxy ${proxy} refuses the user name or the password (407). Check ${optionName('proxy')}; special characters are percent-encoded there`
    return this.status < 500
      ? `the proxy ${proxy} refuses to connect to ${host} (${this.status}). Let it, or do without it: ${WITHOUT_PROXY}`
      : `the proxy ${proxy} could not connect to ${host} (${this.status}). Is the service running, and the address right?`
  }

  toUnreachableError({ host, pathname }: URL): UnreachableError {
    const reason = this.reason(host)
    const end = reason.endsWith('?') ? '' : '.'
    return new UnreachableError(`GET ${pathname} failed: ${reason}${end}`, { cause: this })
  }
}

const WITHOUT_PROXY = 'NO_PROXY names hosts that are reached directly'

function reasonOf(error: unknown): string {
  const code = errorCode(error)
  if (code !== null) return code
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return toError(error).message
}
