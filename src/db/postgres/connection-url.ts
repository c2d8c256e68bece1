import { userInfo } from 'node:os'
import { UsageError } from '../../common/errors.ts'

/**
 * Adds psql's defaults to a `postgres://` URL. Without them pg reads PGUSER, PGHOST and the like, but only the command
 * line may read the environment.
 *
 * @throws UsageError when it names no user and the system knows none
 */
export function withLibpqDefaults(url: URL): URL {
  const whole = new URL(url)
  const { searchParams } = whole
  const mode = searchParams.get('sslmode')
  // Gives `sslmode` the meaning that it has in psql. By default pg takes `require` for `verify-full` and warns.
  const isPsqls = mode === null || mode === 'no-verify' || searchParams.has('uselibpqcompat')
  if (!isPsqls) searchParams.set('uselibpqcompat', 'true')
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
      { cause },
    )
  }
}
