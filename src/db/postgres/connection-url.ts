import { userInfo } from 'node:os'
import { UsageError } from '../../common/errors.ts'

/**
 * A `postgres://` URL with what it leaves open filled in as psql does where no variable is set. pg would look for
 * PGUSER, PGHOST and the like instead, and only the command line reads the environment.
 *
 * @throws UsageError when it names no user and the system knows none
 */
export function withLibpqDefaults(url: URL): URL {
  const whole = withLibpqTls(url)
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
    whole.pathname = `/${encodeURI(searchParams.get('user') ?? decodeURIComponent(whole.username))}`
  }
  return whole
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch (cause) {
    throw new UsageError(
      'The database URL names no user: write postgres://user:password@host:5432/database',
      {
        cause,
      },
    )
  }
}

/** `sslmode` means what it means to psql; without this pg would take `require` for `verify-full` and warn. */
function withLibpqTls(url: URL): URL {
  const changed = new URL(url)
  const mode = url.searchParams.get('sslmode')
  const isPsqls = mode === null || mode === 'no-verify' || url.searchParams.has('uselibpqcompat')
  if (!isPsqls) changed.searchParams.set('uselibpqcompat', 'true')
  return changed
}
