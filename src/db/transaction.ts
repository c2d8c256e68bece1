import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Which database is behind a connection: a Postgres server, or the embedded PGlite. */
export type Engine = 'postgres' | 'embedded'

/**
 * An open transaction. Everything that writes takes it as its first argument, and inside it nothing else
 * reaches the database (on PGlite a second query outside would wait for ever).
 */
export interface Transaction {
  readonly engine: Engine
  readonly kysely: Kysely<Tables>
}
