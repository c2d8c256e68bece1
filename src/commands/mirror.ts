/** How the commands that look at the mirror, or take care of it, open it. */
import { readConfig, type Config, type Flags } from '../config.ts'
import { connect, type Database } from '../db/connect.ts'
import { migrate, requireSchema, schemaState } from '../db/migrate.ts'
import type { Logger } from '../index.ts'
import type { Context } from './context.ts'
import { unlessInterrupted } from './interruption.ts'
import { createLogger } from './logger.ts'
import { concealSecrets } from './secrets.ts'

/**
 * Opens the mirror for reading, and closes it after the work or when the user interrupts. A folder is never
 * made and a schema never changed.
 *
 * @throws SchemaVersionError, DatabaseError, FolderInUseError, ConfigurationError, InterruptedError
 */
export function readMirror<T>(context: Context<Flags>, work: Work<T>): Promise<T> {
  return withMirror(context, requireSchema, work)
}

/**
 * Opens a mirror that is there for writing, with its schema brought up to date first.
 *
 * @throws as readMirror.
 */
export function changeMirror<T>(context: Context<Flags>, work: Work<T>): Promise<T> {
  return withMirror(context, migrateExisting, work)
}

/** Where there is no mirror yet, there is nothing to change: perhaps it is the wrong database. */
async function migrateExisting(database: Database): Promise<void> {
  const { current } = await schemaState(database)
  if (current === 0) await requireSchema(database)
  await migrate(database)
}

type Work<T> = (database: Database, config: Config) => Promise<T>

async function withMirror<T>(
  { flags, terminal, signal }: Context<Flags>,
  prepare: (database: Database) => Promise<void>,
  work: Work<T>,
): Promise<T> {
  const config = await readConfig(flags)
  concealSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  noteDefaultDatabase(config, logger)
  await using database = await connect(config.database.target, { createFolder: false, log: logTo(logger) })
  const working = async () => {
    await prepare(database)
    return work(database, config)
  }
  return await unlessInterrupted(working(), signal)
}

/** Nobody named a database: say which one is used, so that two commands in two folders are no riddle. */
export function noteDefaultDatabase({ database }: Config, logger: Logger): void {
  if (!database.isDefault) return
  logger.info({}, `using ${database.target} in this folder; DATABASE_URL or --database name another database`)
}

export function logTo(logger: Logger) {
  return (level: 'debug' | 'warn', message: string, fields: object = {}) => logger[level](fields, message)
}
