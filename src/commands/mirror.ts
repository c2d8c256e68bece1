/** How the commands that read open the mirror. */
import { readConfig, type Config, type Flags } from '../config.ts'
import { connect, type Database } from '../db/connect.ts'
import { requireSchema } from '../db/migrate.ts'
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
export async function readMirror<T>(
  { flags, terminal, signal }: Context<Flags>,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = await readConfig(flags)
  concealSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  noteDefaultDatabase(config, logger)
  await using database = await connect(config.database.target, { createFolder: false, log: logTo(logger) })
  const reading = async () => {
    await requireSchema(database)
    return work(database, config)
  }
  return await unlessInterrupted(reading(), signal)
}

/** Nobody named a database: say which one is used, so that two commands in two folders are no riddle. */
export function noteDefaultDatabase({ database }: Config, logger: Logger): void {
  if (!database.isDefault) return
  logger.info({}, `using ${database.target} in this folder; DATABASE_URL or --database name another database`)
}

export function logTo(logger: Logger) {
  return (level: 'debug' | 'warn', message: string, fields: object = {}) => logger[level](fields, message)
}
