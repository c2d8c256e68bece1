import { resolve } from 'node:path'
import type { Pool } from 'pg'
import { UsageError } from '../common/errors.ts'
import type { PGliteLike } from './pglite/types.ts'
import type { ConnectOptions, Database, OnFolderInUse } from './database.ts'

export type { PGliteLike } from './pglite/types.ts'
export type { ConnectOptions, Database, DatabaseLog, OnFolderInUse } from './database.ts'
export { FolderServedError } from './pglite/data-dir-lock.ts'

/** A database by its address, or one that the caller keeps open: a pool of pg's, a PGlite, or one that was opened here. */
export type Target =
  | string
  | { readonly url: string; readonly onFolderInUse: OnFolderInUse }
  | { readonly pool: Pool }
  | { readonly pglite: PGliteLike }
  | { readonly opened: Database }

/**
 * Opens the mirror's database.
 *
 * `target` is `postgres://…` or `postgresql://…`, `pglite:<folder>`, `pglite:memory`, or what the caller
 * keeps open and is never closed here: a pool of pg's (at least 3 connections) or a PGlite. The drivers are loaded when they are needed.
 *
 * @throws UsageError when the target cannot be read, DatabaseError when it cannot be reached,
 * DataDirInUseError when another process has the folder open, FolderServedError when that one answers in its place.
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Database> {
  if (typeof target !== 'string' && 'url' in target)
    return connect(target.url, { ...options, onFolderInUse: target.onFolderInUse })
  if (typeof target !== 'string' && 'opened' in target) return withoutClose(target.opened)
  if (typeof target !== 'string' && 'pglite' in target) {
    const { wrapPGlite } = await import('./pglite/open-pglite.ts')
    return wrapPGlite(target.pglite)
  }
  if (typeof target !== 'string') {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    const { host, port, database } = target.pool.options
    const label = host === undefined ? 'Postgres' : `Postgres at ${host}:${port ?? 5432}/${database ?? ''}`
    return openPostgres(target.pool, { owned: false, label, log: options.log })
  }
  if (target.startsWith('pglite:')) {
    const { openPGlite } = await import('./pglite/open-pglite.ts')
    if (target === 'pglite:')
      throw new UsageError(
        'The database pglite: names no folder. Write pglite:<folder>, like pglite:./headcount-data',
      )
    return openPGlite(pgliteDataDir(target), options)
  }
  const url = postgresUrl(target)
  const { openPostgres, ownPool } = await import('./postgres/open-postgres.ts')
  return openPostgres(ownPool(url), { owned: true, label: labelOf(url), log: options.log })
}

/** The folder of an embedded database, as a whole path; null for what lies in none. */
export function pgliteDataDir(target: string): string | null {
  const folder = /^pglite:(.+)$/s.exec(target)?.[1]
  return folder === undefined || folder === 'memory' ? null : resolve(folder)
}

/** The same, for one who must not close it. */
function withoutClose(database: Database): Database {
  const keep = async () => {}
  return { ...database, close: keep, [Symbol.asyncDispose]: keep }
}

/** What a message may say of a database URL: host, port and database, never user or password. */
function labelOf(url: URL): string {
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  const port = url.searchParams.get('port') ?? (url.port === '' ? '5432' : url.port)
  return `Postgres at ${host === '' ? 'localhost' : host}:${port}${url.pathname}`
}

const howToWrite =
  'Write postgres://user:password@host:5432/database, with every special character of the password percent-encoded (@ as %40, / as %2F, # as %23), or pglite:<folder>.'

/** The text is never quoted in an error: a wrongly written password would stand in it. */
function postgresUrl(text: string): URL {
  if (!/^postgres(ql)?:\/\//i.test(text))
    throw new UsageError(`The database is neither a Postgres URL nor a PGlite folder. ${howToWrite}`)
  const url = URL.parse(text)
  if (url === null) throw new UsageError(`The database URL cannot be read. ${howToWrite}`)
  // An unencoded / ? or # in the password ends the host's part early: its rest would be shown as path or host.
  const hasUser = url.username !== '' || url.password !== ''
  if (!hasUser && text.includes('@')) throw new UsageError(`The database URL cannot be read. ${howToWrite}`)
  if (url.hash !== '')
    throw new UsageError(`The database URL has a # that is not percent-encoded. ${howToWrite}`)
  return url
}
