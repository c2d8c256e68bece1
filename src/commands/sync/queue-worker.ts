/** `worker --queue`: the accounts are shared with the workers of other machines. */
import { waitAtMost } from '../../common/abort.ts'
import { accountFlag, commandName, quoteForShell } from '../../common/command-name.ts'
import { ConfigurationError } from '../../common/errors.ts'
import { formatCount } from '../../common/text/number.ts'
import type { AccountsReader } from '../../config/accounts/accounts-reader.ts'
import type { Config, Flags, ServiceConfig } from '../../config/config.ts'
import { createRunPool, type Logger, type RunPool } from '../../index.ts'
import type { Database } from '../../db/database.ts'
import { connect } from '../../db/connect.ts'
import { openWhenReachable } from '../../orchestration/queue/open-when-reachable.ts'
import { requirePostgres } from '../../orchestration/queue/executor.ts'
import { runQueueWorker } from '../../orchestration/queue/run-queue-worker.ts'
import type { QueueHealth } from '../../orchestration/queue/queue-health.ts'
import { capacityOf } from '../../orchestration/run-pool/capacity.ts'
import { CLOSE_GRACE_MS } from '../../orchestration/schedule/worker.ts'
import { logTo } from '../../sync/options.ts'
import type { Context } from '../cli/context.ts'
import { answerMonitors } from '../serve/monitor.ts'
import { databaseOf, openLog, withNamesOf } from '../open-log.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { accountOfEnvironment, followAccounts, type FollowedAccounts } from './accounts/followed-accounts.ts'
import { followGoodRuns } from './follow-good-runs.ts'
import { notifyAfterRun } from './companions/notice-of-run.ts'
import { reported, pooledRunOptions } from './run-command.ts'
import { openTelemetryOfService } from './with-telemetry.ts'

/** For jobs: one takes and settles them, one for heartbeats and what pg-boss looks after. */
const QUEUE_CONNECTIONS = 2

/** Runs the jobs of the queue until a signal stops it; a stop is no failure. @param source of the accounts: one, or files */
export async function workOnQueue(
  context: Context<Flags>,
  given: Config,
  source: ServiceConfig | AccountsReader,
): Promise<number> {
  const { terminal, signal } = context
  const config = queueSettings(given, terminal)
  const { logger } = await openLog(config, terminal)
  await using telemetry = await openTelemetryOfService(context, config, logger)
  await using accounts =
    'service' in source
      ? accountOfEnvironment(source, context, logger)
      : await followAccounts(source, { account: config.account, terminal, logger })
  const opening = () => notOpen('the queue is being opened')
  const health: { answer: () => Pick<QueueHealth, 'healthy'> } = { answer: opening }
  await using _endpoint = await answerMonitors(config.worker, logger, {
    health: () => health.answer(),
    metricsText: telemetry.metricsText,
    noAccount: elsewhere,
  })
  const capacity = capacityOf({ runs: config.pool.runs, connections: config.pool.connections ?? undefined })
  const toDatabase = logTo(logger)
  const onAway = ({ message }: Error) => (health.answer = () => notOpen(message))
  const database = await openWhenReachable(
    () =>
      connect(config.database.target, {
        currentUrl: databaseOf(config, terminal).currentUrl,
        connections: capacity.connections + QUEUE_CONNECTIONS,
        log: toDatabase,
      }),
    { signal, log: toDatabase, onAway },
  )
  health.answer = opening
  const onStart = (answer: () => QueueHealth) => (health.answer = answer)
  if (database !== null) {
    const { requestsPerHost } = accounts
    const pool = createRunPool({ opened: database, ...capacity, requestsPerHost, logger })
    try {
      await takeJobs(database, pool, { config, accounts, signal, terminal, logger, onAway, onStart })
    } finally {
      await waitAtMost(
        CLOSE_GRACE_MS,
        pool[Symbol.asyncDispose]().then(() => database.close()),
      )
    }
  }
  logger.info({}, 'the worker was stopped')
  return 0
}

interface Taking extends Pick<Context<Flags>, 'signal' | 'terminal'> {
  readonly config: Config
  readonly accounts: FollowedAccounts
  readonly logger: Logger
  /** Called while the server is away before the queue is open. */
  readonly onAway: (error: Error) => void
  /** Given what answers for the worker's health. */
  readonly onStart: (health: () => QueueHealth) => void
}

async function takeJobs(database: Database, pool: RunPool, to: Taking): Promise<void> {
  const { config, accounts, signal, terminal, logger, onAway, onStart } = to
  const ofQueue = database.reserve?.(QUEUE_CONNECTIONS) ?? database
  await runQueueWorker({
    database: ofQueue,
    accounts: () => accounts.current().queued,
    faults: () => accounts.current().faults,
    runs: pool.runs,
    runsPerHost: config.worker.runsPerHost,
    signal,
    log: logTo(logger),
    onAway,
    onStart: (health) => {
      onStart(health)
      void followGoodRuns(ofQueue, { signal, logger })
      const count = accounts.current().queued.length
      const words = `the worker takes jobs of ${formatCount(count, 'account')} from the queue`
      logger.info({ accounts: count, runs: pool.runs }, words)
    },
    run: async (account, ending, onSuspend) => {
      const ofRun = await accounts.settingsFor(account)
      if (ofRun === undefined) throw new ConfigurationError([`account ${account} is not among the settings`])
      const options = { ...pooledRunOptions(ofRun), signal: ending, logger, onSuspend }
      const running = withNamesOf(ofRun, () => pool.sync(options))
      try {
        await reported(running, config, logger, terminal.err)
      } finally {
        await notifyAfterRun(running, ofRun, { logger, signal: ending, mirror: { opened: ofQueue } })
      }
    },
  })
}

/** @throws UsageError on PGlite; ConfigurationError */
function queueSettings(given: Config, terminal: Terminal): Config {
  requirePostgres(given.database.target)
  if (given.notify.digestSchedule !== null)
    throw new ConfigurationError([
      `worker --queue sends no digests, for nobody would know which worker does: take HEADCOUNT_DIGEST_SCHEDULE away, and run ${commandName()} digest --send from cron`,
    ])
  return { ...given, logFormat: logFormatOfService(given, terminal.err) }
}

/** What is answered until the queue is open. */
const notOpen = (reason: string) => ({ healthy: false, reason })

/** Of one account no worker of a queue knows how it stands: others run it too. */
const elsewhere = (account: string) =>
  `with --queue no single worker knows how an account stands: ask ${commandName()} status${accountFlag(account)} --max-age <time>, or ${commandName()} queue show ${quoteForShell(account)}`
