import { readConfig, readServiceConfig, type Flags, type ServiceConfig } from '../config.ts'
import { connect, type Database } from '../db/connect.ts'
import { migrate, requireSchema } from '../db/migrate.ts'
import type { Logger } from '../index.ts'
import type { Command, Context } from './context.ts'
import { unlessInterrupted } from './interruption.ts'
import { createLogger } from './logger.ts'
import { logTo, noteDefaultDatabase } from './mirror.ts'
import { onceAMinute } from './once-a-minute.ts'
import { concealSecrets } from './secrets.ts'
import { workOn } from './worker.ts'

type ServeFlags = Flags & {
  readonly sync?: true
  /** Milliseconds. */
  readonly maxAge?: number
}

/** Answers as the service from the mirror, until a signal stops it; with `--sync` the mirror is kept up to date meanwhile. */
export const serve: Command<ServeFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const syncs = flags.sync ?? false
  const work = syncs ? await readServiceConfig(flags) : null
  const config = work ?? (await readConfig(flags))
  concealSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  noteDefaultDatabase(config, logger)
  await using database = await connect(config.database.target, { createFolder: syncs, log: logTo(logger) })
  await unlessInterrupted(prepare(database, syncs), signal)
  if (database.engine === 'embedded') {
    logger.info(
      {},
      `${config.database.target} is held until serve ends: no other command can open it meanwhile`,
    )
  }
  await using service = await openService(database, flags.maxAge ?? null, logger)
  const { url } = await service.listen(config.serve)
  await terminal.err.write(`listening on ${url}\n`)
  if (work !== null) await keepUpToDate(context, work, database, logger)
  else await aborted(signal)
  return 0
}

async function prepare(database: Database, mayWrite: boolean): Promise<void> {
  if (mayWrite) await migrate(database)
  else await requireSchema(database)
}

async function openService(database: Database, maxAgeMs: number | null, logger: Logger) {
  const [{ createHttpService }, { createMirrorStore }] = await Promise.all([
    import('../service/service.ts'),
    import('../service/mirror/store.ts'),
  ])
  const tell = onceAMinute((error) => logger.error({ err: error }, 'a request could not be answered'))
  const store = createMirrorStore(database, { maxAgeMs, onError: tell })
  const service = createHttpService({ store, onError: tell })
  return { ...service, [Symbol.asyncDispose]: () => service.close() }
}

/** The worker's schedule in this process. A folder has one opener: runs and requests share it then. */
async function keepUpToDate(
  { terminal, signal }: Context<ServeFlags>,
  config: ServiceConfig,
  database: Database,
  logger: Logger,
): Promise<void> {
  const target = database.engine === 'embedded' ? { opened: database } : { database: config.database.target }
  await workOn(target, { config, terminal, signal, logger })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
