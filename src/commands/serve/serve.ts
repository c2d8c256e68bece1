import { commandName } from '../../common/command-name.ts'
import { renewedKeys } from '../sync/accounts/renewed-keys.ts'
import { oneAccount } from '../sync/accounts/select-accounts.ts'
import { readConfig, type Config, type Flags, type ServiceConfig } from '../../config/config.ts'
import type { WorkerConfig } from '../../config/read-run.ts'
import { settings, type SettingName } from '../../config/settings.ts'
import type { Database } from '../../db/connect.ts'
import { migrate, requireSchema } from '../../db/migrate.ts'
import { UsageError } from '../../common/errors.ts'
import type { AccessLogEntry, Logger, RunOptions, ServiceOptions } from '../../index.ts'
import { movedWarning } from '../../load/state/moved.ts'
import { readUnfinishedRemovals } from '../../mirror/accounts/list.ts'
import { listKeys } from '../../mirror/keys/keys.ts'
import { listLinks } from '../../mirror/keys/links.ts'
import { isLoopback } from '../../common/listen.ts'
import {
  DEFAULT_ACCOUNT,
  requireKnownAccount,
  type CreateAccount,
  describeRemoval,
} from '../../sync/open/find-account.ts'
import type { Command, Context } from '../cli/context.ts'
import { holdDatabase, openExisting } from './hold-database.ts'
import { answerMonitors } from './monitor.ts'
import { aborted, raceAbort } from '../../common/abort.ts'
import { logTo } from '../../sync/options.ts'
import { databaseOf, openLog, type Log } from '../open-log.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import { runOptions } from '../sync/run-command.ts'
import { confirmingAccount } from '../sync/confirm-new-account.ts'
import { rateLimitLog } from '../terminal/log-throttle.ts'
import { alwaysThere } from '../sync/folder-access.ts'
import { workOn } from '../sync/worker.ts'
import { openTelemetryOfService, type OpenTelemetry } from '../sync/with-telemetry.ts'

type ServeFlags = Flags & {
  readonly sync?: true
  /** Milliseconds. */
  readonly maxAge?: number
}

/**
 * Answers as the service from the mirror, until a signal stops it; with `--sync` the mirror is kept up to date meanwhile. A stop is no
 * failure, also before it answers: the start may wait for the database.
 */
export const serve: Command<ServeFlags> = async (context) => {
  try {
    return await serveUntilStopped(context)
  } catch (error) {
    // guard: stopped at the start
    if (error !== context.signal.reason) throw error
    return 0
  }
}

async function serveUntilStopped(context: Context<ServeFlags>): Promise<number> {
  const { flags, terminal, signal } = context
  const syncs = flags.sync ?? false
  if (!syncs) refuseFlagsOfSync(flags)
  const work = syncs ? await oneAccount(flags) : null
  const given = work ?? (await readConfig(flags))
  const logFormat = logFormatOfService(given, terminal.err)
  const config = { ...given, logFormat }
  const log = await openLog(config, terminal)
  const { logger } = log
  await using telemetry = await openTelemetryOfService(context, config, logger)
  const address = databaseOf(config, terminal)
  const opening = holdDatabase(config.database.target, { signal, logger }, () =>
    work === null
      ? openExisting(config, log, address.currentUrl)
      : openToSync({ ...runOptions(work), ...address, ...log, signal }),
  )
  await using held = await raceAbort(opening, signal)
  const { database } = held
  const newAccount = work !== null && (await raceAbort(prepare(context, work, database, logger), signal))
  if (database.engine === 'pglite') {
    logger.info(
      {},
      `${config.database.target} is held until serve ends: what answers, keys and links ask serve, other commands wait`,
    )
  }
  // The service asks the same when it begins to listen; closing it would wait for that statement, and closing the database does not.
  await raceAbort(requireSchema(database), signal)
  await using service = await serviceOf(
    database,
    { maxAgeMs: flags.maxAge, holdForMs: config.run.holdForMs },
    { logger, ...(config.serve.accessLog && { onRequest: accessLogTo(logger, logFormat) }) },
  )
  const { url } = await raceAbort(service.listen(config.serve), signal)
  await raceAbort(warn(database, url, logger), signal)
  await using _monitored =
    work === null
      ? await answerMonitors(monitored(config, logger), logger, {
          health: () => serving,
          metricsText: telemetry.metricsText,
        })
      : null
  await terminal.err.write(`listening on ${url}\n`)
  if (work !== null)
    await keepUpToDate({ ...work, newAccount, logFormat }, database, {
      flags,
      terminal,
      signal,
      metricsText: telemetry.metricsText,
      ...log,
    })
  else await aborted(signal)
  logger.info({}, 'serve is stopping; requests in progress are finished first')
  return 0
}

/** A check of a container may ask `/healthz` of the port of the lists, which answers it too: then that port is enough. */
function monitored({ worker, serve }: Config, logger: Logger): WorkerConfig {
  // guard: one port for both
  if (worker.healthPort === null || worker.healthPort === 0 || worker.healthPort !== serve.port) return worker
  logger.info(
    {},
    `serve answers /healthz on port ${serve.port} itself; for /metrics set HEADCOUNT_HEALTH_PORT to another one`,
  )
  return { ...worker, healthPort: null }
}

async function openToSync(options: RunOptions): Promise<Database> {
  const { openMirrorToServe } = await import('../../sync/open/open-run.ts')
  return openMirrorToServe(options)
}

/**
 * Of a mirror that is kept up to date: the name of its account, before anything is written, and then the schema.
 *
 * @returns whether its runs may make a further account
 */
async function prepare(
  context: Context<ServeFlags>,
  { account, newAccount, service: { apiKey } }: ServiceConfig,
  database: Database,
  logger: Logger,
): Promise<CreateAccount> {
  const { signal } = context
  const createAccount = await confirmingAccount(context, newAccount, async (isWanted) => {
    const requested = { account: account ?? DEFAULT_ACCOUNT, createAccount: isWanted, apiKey }
    await requireKnownAccount(database, requested)
    return isWanted
  })
  await migrate(database, signal, logTo(logger))
  return createAccount
}

const settingsOfSync = [
  'account',
  'newAccount',
  'baseUrl',
  'allowHttp',
  'concurrency',
  'requestTimeout',
  'runTimeout',
  'maxBody',
  'holdFor',
  'forgetAfter',
  'maxStaleness',
  'schedule',
  'timezone',
  'digestSchedule',
  'withPersonal',
] as const satisfies readonly SettingName[]

/** Refused because an account named here would look like a limit on what is served. */
function refuseFlagsOfSync(flags: ServeFlags): void {
  const given = settingsOfSync.find(
    (name) => flags[name] !== undefined && !(name === 'holdFor' && flags.maxAge !== undefined),
  )
  if (given === undefined) return
  throw new UsageError(
    `serve: ${settings[given].flag} goes with --sync only; without it every account is served, to whoever has a key of it`,
  )
}

async function warn(database: Database, url: string, logger: Logger): Promise<void> {
  const keys = await database.transaction((trx) => listKeys(trx, null), { readOnly: true })
  const links = await database.transaction((trx) => listLinks(trx, null), { readOnly: true })
  if (![...keys, ...links].some(({ state }) => state === 'active')) {
    logger.warn({}, `no key opens this mirror: make one with ${commandName()} keys create`)
  }
  if (await onlyReads(database))
    logger.warn(
      {},
      'nothing can be written to this database, as on a standby: keys and links do not show when they were used',
    )
  const moved = await movedWarning(database.kysely)
  if (moved !== null) logger.warn({}, moved)
  const accounts = await database.transaction((trx) => readUnfinishedRemovals(trx), { readOnly: true })
  for (const { name, since } of accounts)
    logger.warn({}, `account ${name} is ${describeRemoval(name, since)}`)
  const address = new URL(url)
  if (!isLoopback(address.hostname)) {
    logger.warn(
      {},
      `${address.hostname} is served without TLS: for other machines put a proxy with TLS before it`,
    )
  }
}

async function onlyReads(database: Database): Promise<boolean> {
  const { rows } = await database.transaction((trx) =>
    trx.query(`select current_setting('transaction_read_only') = 'on'`),
  )
  return rows[0]?.[0] === true
}

async function serviceOf(
  database: Database,
  { maxAgeMs, holdForMs }: { readonly maxAgeMs: number | undefined; readonly holdForMs: number },
  { logger, ...accessLog }: { readonly logger: Logger } & Pick<ServiceOptions, 'onRequest'>,
) {
  const { createService } = await import('../../server/create-service.ts')
  const service = createService({
    opened: database,
    ...(maxAgeMs !== undefined && { maxAgeMs, holdForMs }),
    ...accessLog,
    onError: rateLimitLog((error) => logger.error({ err: error }, 'a request could not be answered')),
  })
  return { ...service, [Symbol.asyncDispose]: () => service.close() }
}

/** A line for each request: in prose the message says all that the fields do. */
function accessLogTo(logger: Logger, format: 'pretty' | 'json') {
  return (entry: AccessLogEntry): void => {
    const { method, path, status, bytes, duration_ms, key_id } = entry
    const key = key_id === null ? 'no key' : `key ${key_id}`
    if (format === 'json') logger.info(entry, 'request')
    else logger.info({}, `${method} ${path} ${status} ${bytes} B ${duration_ms} ms ${key}`)
  }
}

/** The worker's schedule in this process. A folder has one opener: runs and requests share it then. */
async function keepUpToDate(
  config: ServiceConfig,
  database: Database,
  to: Pick<Context<ServeFlags>, 'flags' | 'terminal' | 'signal'> & Pick<OpenTelemetry, 'metricsText'> & Log,
): Promise<void> {
  const target = database.engine === 'pglite' ? { opened: database } : databaseOf(config, to.terminal)
  const renewed = renewedKeys(config, () => oneAccount(to.flags), to)
  await workOn(alwaysThere(target, { opened: database }), { config, renewed, ...to })
}

/** Without a schedule there is no health to tell but that it answers. */
const serving = { healthy: true, reason: 'serve answers' }
