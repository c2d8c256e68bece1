import { readConfig, readServiceConfig, type Flags, type ServiceConfig } from '../config.ts'
import { connect, type Database } from '../db/connect.ts'
import { migrate, requireSchema } from '../db/migrate.ts'
import { UsageError } from '../errors.ts'
import type { Logger } from '../index.ts'
import { listKeys } from '../service/keys/list.ts'
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
  if (!syncs) refuseFlagsOfSync(flags)
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
  await warn(database, config.serve.host, logger)
  await using service = await openService(database, flags.maxAge ?? null, logger)
  const { url } = await service.listen(config.serve)
  await terminal.err.write(`listening on ${url}\n`)
  if (work !== null) await keepUpToDate(context, work, database, logger)
  else await aborted(signal)
  logger.info({}, 'serve was told to stop, and answers what it was asked')
  return 0
}

const flagsOfSync = {
  account: '--account',
  baseUrl: '--base-url',
  allowHttp: '--allow-http',
  concurrency: '--concurrency',
  requestTimeout: '--request-timeout',
  runTimeout: '--run-timeout',
  maxBody: '--max-body',
  holdFor: '--hold-for',
  maxStaleness: '--max-staleness',
  schedule: '--schedule',
  timezone: '--timezone',
  healthPort: '--health-port',
}

/** Whoever names an account may take it for a bound on what is shown. */
function refuseFlagsOfSync(flags: ServeFlags): void {
  for (const [name, flag] of Object.entries(flagsOfSync)) {
    if (flags[name] === undefined) continue
    throw new UsageError(
      `serve: ${flag} goes with --sync only; without it every account is served, to whoever has a key of it`,
    )
  }
}

async function warn(database: Database, host: string, logger: Logger): Promise<void> {
  const keys = await database.transaction((trx) => listKeys(trx, null), { readOnly: true })
  if (!keys.some(({ state }) => state === 'active')) {
    const before = database.engine === 'embedded' ? ', before serve' : ''
    logger.warn({}, `no key opens this mirror: make one with headcount keys create${before}`)
  }
  if (!/^(?:127\.|::1$|localhost$)/i.test(host)) {
    logger.warn({}, `${host} is served without TLS: for other machines put a proxy with TLS before it`)
  }
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
