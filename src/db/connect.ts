import { resolve } from 'node:path'
import type { Pool } from 'pg'
import { raceAbort } from '../common/abort.ts'
import { UsageError } from '../common/errors.ts'
import type { PGliteLike } from './pglite/types.ts'
import type { ConnectOptions, Database } from './database.ts'
import { hostOf, postgresUrl } from './postgres/connection-url.ts'

export type { PGliteLike } from './pglite/types.ts'
export type { ConnectOptions, Database, DatabaseLog, OnFolderInUse } from './database.ts'
export { FolderServedError } from './lease/folder-lock.ts'

/** Opens a database that several share, or gives the open one; closing the result closes only what is its own. */
export type OpenShared = (options: ConnectOptions) => Promise<Database>

/** A database by its address, or an open one of the caller: a pg pool, a PGlite, the result of `connect`, or a shared one. */
export type Target =
  | string
  | ({ readonly url: string } & Pick<ConnectOptions, 'currentUrl' | 'onFolderInUse'>)
  | { readonly pool: Pool }
  | { readonly pglite: PGliteLike }
  | { readonly opened: Database }
  | { readonly open: OpenShared }

/**
 * Opens the mirror's database.
 *
 * `target` is `postgres://…` or `postgresql://…`, `pglite:<folder>`, `pglite:memory`, a pg pool (at least 3 connections)
 * or a PGlite. A database of the caller is never closed here. The drivers are loaded on demand.
 *
 * @throws UsageError for an invalid target, DatabaseError when it cannot be reached, DataDirInUseError when another
 * process has the folder open, FolderServedError when that process answers in place of this one; the signal's reason.
 */
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Database> {
  const { signal } = options
  signal?.throwIfAborted()
  const opening = open(target, options)
  if (signal === undefined) return opening
  try {
    return await raceAbort(opening, signal)
  } catch (error) {
    // One that is open too late; nobody is there any more to be told that it could not be opened or closed.
    opening.then((late) => late.close()).catch(() => {})
    throw error
  }
}

async function open(target: Target, options: ConnectOptions): Promise<Database> {
  if (typeof target !== 'string' && 'url' in target) {
    const { url, ...own } = target
    return open(url, { ...options, ...own })
  }
  if (typeof target !== 'string' && 'open' in target) return target.open(options)
  if (typeof target !== 'string' && 'opened' in target) return withoutClose(target.opened)
  if (typeof target !== 'string' && 'pglite' in target) {
    const { wrapPGlite } = await import('./pglite/open-pglite.ts')
    return wrapPGlite(target.pglite)
  }
  if (typeof target !== 'string') {
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    const { host, port, database } = target.pool.options
    const label = host === undefined ? 'Postgres' : `Postgres at ${host}:${port ?? 5432}/${database ?? ''}`
    return openPostgres(target.pool, { connecting: null, label, log: options.log })
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
  const { connections, currentUrl, log } = options
  const { pool, connecting } = ownPool(url, { connections, currentUrl, log })
  return openPostgres(pool, { connecting, label: labelOf(url), log })
}

/** The absolute path of a PGlite folder; null for any other target. */
export function pgliteDataDir(target: string): string | null {
  const folder = /^pglite:(.+)$/s.exec(target)?.[1]
  return folder === undefined || folder === 'memory' ? null : resolve(folder)
}

/** The same database, with a `close` that does nothing. */
export function withoutClose(database: Database): Database {
  const keep = async () => {}
  return { ...database, close: keep, [Symbol.asyncDispose]: keep }
}

/** A database URL for messages: host, port and database, never user or password. */
function labelOf(url: URL): string {
  const host = hostOf(url)
  const port = url.searchParams.get('port') ?? (url.port === '' ? '5432' : url.port)
  return `Postgres at ${host === '' ? 'localhost' : host}:${port}${decodeURIComponent(url.pathname)}`
}
