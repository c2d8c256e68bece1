import { checkOptions } from '../common/options/check-options.ts'
import { interruptible } from '../common/abort.ts'
import { connect } from '../db/connect.ts'
import { migrate as applyMigrations } from '../db/migrate.ts'
import { targetOf, type DatabaseOptions } from '../db/target.ts'
import { logTo, type Logger } from './options.ts'

/**
 * Brings the schema of a database up to date; `sync` and `backfill` do so by themselves.
 *
 * @param options `signal` ends it, also while it waits for a folder or a lock: the migration under way is rolled back
 * @returns the migrations that were applied now, none when the schema was current.
 * @throws UsageError unless one way to the database is given; DatabaseError; SchemaVersionError when the schema is newer than this program.
 */
export async function migrate(
  options: DatabaseOptions & { readonly logger?: Logger; readonly signal?: AbortSignal },
): Promise<readonly { readonly number: number; readonly name: string }[]> {
  checkOptions(options)
  const { logger, signal } = options
  const interrupted = 'The migration was interrupted; the next call goes on with the rest.'
  return interruptible(signal, interrupted, async () => {
    await using database = await connect(targetOf(options), { log: logTo(logger), signal })
    return await applyMigrations(database, signal, logTo(logger))
  })
}
