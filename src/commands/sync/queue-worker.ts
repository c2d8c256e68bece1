/** `worker --queue`: the accounts are shared with the workers of other machines. */
import { ConfigurationError } from '../../common/errors.ts'
import { openAccounts } from '../../config/accounts/accounts-reader.ts'
import { readConfig, readServiceConfig, type Flags, type ServiceConfig } from '../../config/config.ts'
import { connect } from '../../db/connect.ts'
import { createRunPool, type Logger, type RunPool, type RunReport } from '../../index.ts'
import { requirePostgres } from '../../queue/executor.ts'
import type { QueueAccount } from '../../queue/due-groups.ts'
import { runQueueWorker } from '../../queue/run-queue-worker.ts'
import type { QueueHealth } from '../../queue/queue-health.ts'
import { capacityOf } from '../../run-pool/capacity.ts'
import { DEFAULT_ACCOUNT } from '../../sync/open/find-account.ts'
import { logTo } from '../../sync/options.ts'
import type { Context } from '../cli/context.ts'
import { answerMonitors } from '../serve/monitor.ts'
import { openLog, redactSecrets, type Log } from '../open-log.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import { notifyAfterRun } from './notice-of-run.ts'
import { reported, runOptions } from './run-command.ts'
import { openTelemetry } from './with-telemetry.ts'

/** How often the files of the accounts are looked at. */
const LOOK_MS = 10_000
/** For jobs: one takes and settles them, one for heartbeats and what pg-boss looks after. */
const QUEUE_CONNECTIONS = 2

/** The settings of each account, and what the queue goes by. */
interface KnownAccounts {
  readonly configs: ReadonlyMap<string, ServiceConfig>
  readonly queued: readonly QueueAccount[]
}

/** Runs the jobs of the queue until a signal stops it; a stop is no failure. */
export async function workOnQueue(context: Context<Flags>): Promise<number> {
  const { flags, terminal, signal } = context
  const given = await readConfig(flags)
  const config = { ...given, logFormat: logFormatOfService(given, terminal.err) }
  requirePostgres(config.database.target)
  if (config.notify.digestSchedule !== null)
    throw new ConfigurationError([
      'worker --queue sends no digests, for nobody would know which worker does: take HEADCOUNT_DIGEST_SCHEDULE away, and run headcount digest --send from cron',
    ])
  const log = await openLog(config, terminal)
  await using telemetry = await openTelemetry(context, {
    scrape: config.worker.healthPort !== null,
    log: (line) => log.logger.info({}, line),
  })
  await using accounts = await followAccounts(flags, (of) => redactSecrets(of, terminal), log)
  const { runs, connections } = capacityOf({
    runs: config.pool.runs,
    connections: config.pool.connections ?? undefined,
  })
  const logged = { log: logTo(log.logger), connections: connections + QUEUE_CONNECTIONS }
  await using database = await connect(config.database.target, logged)
  await using pool = createRunPool({ opened: database, runs, connections, logger: log.logger })
  await using open = new AsyncDisposableStack()
  const health = { answer: (): QueueHealth | Starting => starting }
  const endpoint = await answerMonitors(config.worker, log.logger, {
    health: () => health.answer(),
    metricsText: telemetry.metricsText,
  })
  if (endpoint !== null) open.use(endpoint)
  await runQueueWorker({
    database: database.reserve?.(QUEUE_CONNECTIONS) ?? database,
    accounts: () => accounts.current().queued,
    runs,
    runsPerHost: config.worker.runsPerHost,
    signal,
    log: logTo(log.logger),
    onStart: (answer) => {
      health.answer = answer
      const { length } = accounts.current().queued
      log.logger.info(
        { accounts: length, runs },
        `the worker takes jobs of ${length} accounts from the queue`,
      )
    },
    run: async (account, ending) => {
      const own = accounts.current().configs.get(account)
      if (own === undefined) throw new ConfigurationError([`account ${account} is not among the settings`])
      const running = startRun(pool, { ...own, account }, { signal: ending, logger: log.logger })
      try {
        await reported(running, config, log.logger, terminal.err)
      } finally {
        await notifyAfterRun(running, { ...own, account }, log.logger, ending)
      }
    },
  })
  log.logger.info({}, 'the worker was stopped')
  return 0
}

function startRun(
  pool: RunPool,
  config: ServiceConfig & { readonly account: string },
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<RunReport> {
  const { database: _, ...options } = runOptions(config)
  const { account, newAccount: createAccount } = config
  return pool.sync({ ...options, account, createAccount, signal, logger })
}

/** Until the queue is open. */
interface Starting {
  readonly healthy: false
  readonly reason: string
}

const starting: Starting = { healthy: false, reason: 'the queue is being opened' }

interface FollowedAccounts extends AsyncDisposable {
  readonly current: () => KnownAccounts
}

/** The accounts of the files, read anew when they change; the one of the environment where there are none. */
async function followAccounts(
  flags: Flags,
  redact: (config: ServiceConfig) => void,
  { logger }: Log,
): Promise<FollowedAccounts> {
  const reader = await openAccounts(flags)
  if (reader === null) {
    const config = await readServiceConfig(flags, undefined, { database: true })
    redact(config)
    const known = knownOf([{ ...config, account: config.account ?? DEFAULT_ACCOUNT }])
    return { current: () => known, [Symbol.asyncDispose]: async () => {} }
  }
  let known = knownOf([])
  const look = async () => {
    const { accounts, fault, isNew } = await reader.current()
    if (!isNew) return
    for (const { message } of accounts.faults) logger.error({}, `an account is left out: ${message}`)
    if (fault !== null)
      logger.error({}, `the accounts cannot be read anew, and stay as they were: ${fault.message}`)
    for (const config of accounts.accounts) redact(config)
    known = knownOf(accounts.accounts)
  }
  await look()
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = look().catch((error: unknown) =>
      logger.error({ err: error }, 'the accounts could not be looked at'),
    )
  }, LOOK_MS)
  return {
    current: () => known,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

function knownOf(accounts: readonly (ServiceConfig & { readonly account: string })[]): KnownAccounts {
  return {
    configs: new Map(accounts.map((config) => [config.account, config])),
    queued: accounts.map(({ account, service, worker }) => ({
      name: account,
      host: service.baseUrl.host,
      schedule: worker.schedule,
      timezone: worker.timezone,
    })),
  }
}
