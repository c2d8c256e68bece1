import { userInfo } from 'node:os'
import { UsageError } from '../../common/errors.ts'
import { isDecodable } from '../../common/text/is-decodable.ts'

/**
 * Adds psql's defaults to a `postgres://` URL. Without them pg reads PGUSER, PGHOST and the like, but only the command
 * line may read the environment.
 *
 * @throws UsageError when it names no user and the system knows none
 */
export function withLibpqDefaults(url: URL): URL {
  const whole = new URL(url)
  const { searchParams } = whole
  const fill = (name: string, given: string, value: () => string) => {
    if (given === '' && !searchParams.has(name)) searchParams.set(name, value())
  }
  fill('user', whole.username, systemUser)
  fill('host', whole.hostname, () => 'localhost')
  fill('port', whole.port, () => '5432')
  fill('client_encoding', '', () => 'UTF8')
  fill('sslnegotiation', '', () => 'postgres')
  if (whole.pathname.length < 2) {
    whole.pathname = `/${encodeURIComponent(searchParams.get('user') ?? decodeURIComponent(whole.username))}`
  }
  return whole
}

/** A name, an address or the folder of a socket; empty when the URL names none. */
export function hostOf({ searchParams, hostname }: URL): string {
  return searchParams.get('host') ?? decodeURIComponent(hostname)
}

/** pg leaves `/`, `?`, `#`, `@` and others in it percent-encoded; psql does not. */
export function databaseOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(1))
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch (cause) {
    throw new UsageError(
      'The database URL names no user: write postgres://user:password@host:5432/database',
      { cause },
    )
  }
}

const howToWrite =
  'Write postgres://user:password@host:5432/database, with every special character of the password and of parameters percent-encoded (@ as %40, / as %2F, # as %23, % as %25), or pglite:<folder>.'

/**
 * libpq also reads a user or a port without a host, which no URL has, as in `postgres://user@/db?host=/cloudsql/…`: its default host is put
 * there. Null when the text is no Postgres URL, or cannot be read.
 */
export function parsePostgresUrl(text: string): URL | null {
  if (!/^postgres(ql)?:/i.test(text)) return null
  const [, start = '', end] = /^([^/?#]*\/\/(?:[^/?#]*@)?)((?::\d*)?(?:[/?#].*)?)$/s.exec(text) ?? []
  const hasNoHost = end !== undefined && (start.endsWith('@') || end.startsWith(':'))
  return URL.parse(hasNoHost ? `${start}localhost${end}` : text)
}

/** No error quotes the text: it may contain a badly encoded password. */
export function postgresUrl(text: string): URL {
  if (!/^postgres(ql)?:\/\//i.test(text))
    throw new UsageError(`The database is neither a Postgres URL nor a PGlite folder. ${howToWrite}`)
  const [, authority = '', rest = ''] = /^[^/]*\/\/([^/?#]*)(.*)$/s.exec(text) ?? []
  // An unencoded / ? or # in the password ends the authority early: messages would show the rest as path or host.
  const endsEarly = rest.includes('@')
  // guard: password in the address
  if (endsEarly) throw new UsageError(`The database URL cannot be read. ${howToWrite}`)
  // psql tries one host after the other; pg, which connects here, takes the list for one name.
  if (/,[^@]*$/.test(authority) || /[?&]host=[^&]*(?:,|%2c)/i.test(rest))
    throw new UsageError(
      'The database URL names several hosts. Name one that leads to the primary server, also after a failover: a proxy or a DNS name.',
    )
  const url = parsePostgresUrl(text)
  // With a `%` that stands for itself the URL can be read, and a part of it cannot.
  if (url === null || ![url.username, url.password, url.hostname, url.pathname].every(isDecodable))
    throw new UsageError(`The database URL cannot be read. ${howToWrite}`)
  if (url.hash !== '')
    throw new UsageError(`The database URL has a # that is not percent-encoded. ${howToWrite}`)
  return url
}
