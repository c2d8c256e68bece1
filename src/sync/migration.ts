import type { Pool } from 'pg'
import { connect } from '../db/connect.ts'
import { migrate as applyMigrations } from '../db/migrate.ts'
import { UsageError } from '../errors.ts'

/**
 * Brings the schema of a database up to date; `sync` and `backfill` do so by themselves.
 *
 * @returns the migrations that were applied now, none when the schema was current.
 * @throws DatabaseError; SchemaVersionError when the schema is newer than this program.
 */
export async function migrate(options: {
  readonly database?: string
  readonly pool?: Pool
}): Promise<readonly { readonly number: number; readonly name: string }[]> {
  const target = options.pool === undefined ? options.database : { pool: options.pool }
  if (target === undefined) throw new UsageError('Give the option `database` or the option `pool`.')
  await using database = await connect(target)
  return await applyMigrations(database)
}
