/** The password that psql takes where a database URL has none. */
import { databaseOf, hostOf, parsePostgresUrl, withLibpqDefaults } from '../db/postgres/connection-url.ts'
import { ownEnvironment } from './secrets.ts'

/**
 * Adds to a Postgres URL without a password that of `PGPASSWORD`, or else of the password file (`PGPASSFILE`, by default `.pgpass` in the
 * home folder). A URL that has a password, or that cannot be read, is as it was.
 */
export async function withPsqlPassword(target: string): Promise<string> {
  const url = parsePostgresUrl(target)
  if (url === null || url.password !== '' || url.searchParams.has('password')) return target
  const password = ownEnvironment['PGPASSWORD'] || (await passwordOfFile(url))
  if (password === undefined) return target
  url.searchParams.set('password', password)
  return url.href
}

/** A file that others may read is not used, which it says on stderr, as psql does. */
async function passwordOfFile(url: URL): Promise<string | undefined> {
  const whole = withLibpqDefaults(url)
  const { searchParams, username, port } = whole
  const host = hostOf(whole)
  const info = {
    // As libpq looks for a socket.
    host: host.startsWith('/') ? 'localhost' : host,
    port: searchParams.get('port') ?? port,
    database: databaseOf(whole),
    user: searchParams.get('user') ?? decodeURIComponent(username),
  }
  // @ts-expect-error -- the package has no types
  const { default: pgpass } = (await import('pgpass')) as { readonly default: PasswordFile }
  return new Promise((resolve) => pgpass(info, resolve))
}

/** `undefined`: the file has no password for this, or is not used. */
type PasswordFile = (
  info: Readonly<Record<'host' | 'port' | 'database' | 'user', string>>,
  found: (password: string | undefined) => void,
) => void
