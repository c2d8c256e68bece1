import type { Pool } from 'pg'
import { UsageError } from '../common/errors.ts'
import type { Database, OnFolderInUse, OpenShared, Target } from './connect.ts'
import type { PGliteLike } from './pglite/types.ts'

/** The database of the mirror: exactly one of `database`, `pool` and `pglite` must be given. */
export interface DatabaseOptions {
  /** `postgres://…`, `pglite:<folder>` or `pglite:memory`. */
  readonly database?: string
  /** @internal As in ConnectOptions, of `database`. */
  readonly currentUrl?: () => string
  /** A pool of the caller with at least three connections; it is not closed. */
  readonly pool?: Pool
  /** A PGlite of the caller that no other process has open; it is not closed. */
  readonly pglite?: PGliteLike
  /** @internal An open database of this program. */
  readonly opened?: Database
  /** @internal A database that several runs share. */
  readonly open?: OpenShared
  /** @internal */
  readonly onFolderInUse?: OnFolderInUse
}

/** @internal @throws UsageError unless exactly one way to the database is given. */
export function targetOf(options: DatabaseOptions): Target {
  const { database, currentUrl, pool, pglite, opened, open, onFolderInUse } = options
  const ofUrl = {
    ...(currentUrl !== undefined && { currentUrl }),
    ...(onFolderInUse !== undefined && { onFolderInUse }),
  }
  const [target, ...others]: Target[] = [
    ...(database === undefined ? [] : [{ url: database, ...ofUrl }]),
    ...(pool === undefined ? [] : [{ pool }]),
    ...(pglite === undefined ? [] : [{ pglite }]),
    ...(opened === undefined ? [] : [{ opened }]),
    ...(open === undefined ? [] : [{ open }]),
  ]
  if (target !== undefined && others.length === 0) return target
  throw new UsageError('Give either the option `database` or the option `pool` or `pglite`, one of them.')
}
