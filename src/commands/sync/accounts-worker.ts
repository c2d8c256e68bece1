/** `worker` over the accounts of an accounts file, or of a folder of keys. */
import pLimit from 'p-limit'
import { waitAtMost } from '../../common/abort.ts'
import { isGoodRun, outcomeOf } from '../../common/schema/run-report.ts'
import type { AccountConfig } from '../../config/accounts/account-config.ts'
import type { AccountsReader } from '../../config/accounts/accounts-reader.ts'
import { requireDatabase, type Config, type Flags } from '../../config/config.ts'
import { connect, pgliteDataDir } from '../../db/connect.ts'
import { CONNECTIONS_PER_RUN } from '../../db/database.ts'
import type { DatabaseOptions } from '../../db/target.ts'
import { createRunPool, type Logger, type RunPool, type RunReport } from '../../index.ts'
import { callMirror } from '../../mirror/library-api/with-mirror.ts'
import type { RunCall } from '../../outputs/notify/deliver.ts'
import { SharedDatabase } from '../../orchestration/run-pool/shared-database.ts'
import type { WorkedAccount } from '../../orchestration/schedule/accounts/account-schedule.ts'
import { runAccountsWorker } from '../../orchestration/schedule/accounts/accounts-worker.ts'
import { CLOSE_GRACE_MS } from '../../orchestration/schedule/worker.ts'
import { logTo } from '../../sync/options.ts'
import type { Context } from '../cli/context.ts'
import { databaseOf, openLog, redactSecrets, withNamesOf, type Log } from '../open-log.ts'
import { holdDatabase } from '../serve/hold-database.ts'
import { warnOfOpenPort } from '../serve/monitor.ts'
import { accountWorkerLogger } from './accounts/account-logger.ts'
import { onlyNamed, settingsVersion, usableAccounts } from './accounts/usable-accounts.ts'
import { digestCompanions, noticeCompanions } from './companions/companions.ts'
import { lastGoodRunsOf } from './last-good-runs.ts'
import { openTelemetryOfService } from './with-telemetry.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import { pooledRunOptions, withReport } from './run-command.ts'
import { outcomeFor } from './worker.ts'

/** Runs every account by its own schedule until a signal stops it; a stop is no failure. */
export async function workOnAccounts(
  context: Context<Flags>,
  given: Config,
  reader: AccountsReader,
): Promise<number> {
  const { terminal, signal } = context
  requireDatabase(given)
  const config = { ...given, logFormat: logFormatOfService(given, terminal.err) }
  const log = await openLog(config, terminal)
  const { logger } = log
  const { healthPort: port, healthHost: host } = config.worker
  warnOfOpenPort(config.worker, logger)
  await using telemetry = await openTelemetryOfService(context, config, logger)
  const databases = openDatabases(config, log, context)
  const pool = createRunPool({
    ...databases.ofRuns,
    runs: config.pool.runs,
    ...(config.pool.connections !== null && { connections: config.pool.connections }),
    requestsPerHost: reader.requestsPerHost,
    logger,
    signal,
  })
  const limit = pLimit(1)
  // One after the other, over connections of their own: no run waits for them.
  const callWith =
    (force: boolean): RunCall =>
    (asked, input) =>
      limit(() => callMirror({ ...databases.ofOthers, logger, force }, asked, input))
  const call = callWith(false)
  const redact = (account: AccountConfig) => redactSecrets(account, terminal)
  const readUsable = usableAccounts(onlyNamed(reader, config.account), { redact, logger })
  const noticeCall = callWith(true)
  const worked = (account: AccountConfig) => workedAccount(account, { pool, noticeCall, logger, signal })
  try {
    await runAccountsWorker({
      read: async () => {
        const found = await readUsable()
        return found && { ...found, accounts: await Promise.all(found.accounts.map(worked)) }
      },
      health: port === null ? null : { host, port },
      metricsText: telemetry.metricsText,
      signal,
      log: logTo(logger),
      lastGoodRuns: lastGoodRunsOf(null, { call, run: config.run, logger }),
      // One schedule for all accounts, or for the one that is asked for.
      companions: await digestCompanions({ call, config, logger }),
    })
  } finally {
    await waitAtMost(
      CLOSE_GRACE_MS,
      pool[Symbol.asyncDispose]().then(() => databases[Symbol.asyncDispose]()),
    )
  }
  logger.info({}, 'the worker was stopped')
  return 0
}

interface Databases extends AsyncDisposable {
  readonly ofRuns: DatabaseOptions
  readonly ofOthers: DatabaseOptions
}

/** A folder is open from its first use on, answers other commands, and is one database for all. */
function openDatabases(config: Config, log: Log, { terminal, signal }: Context<Flags>): Databases {
  const { target } = config.database
  const { logger, onFolderInUse } = log
  if (pgliteDataDir(target) === null) {
    const ofRuns = databaseOf(config, terminal)
    const { currentUrl } = ofRuns
    const options = { connections: CONNECTIONS_PER_RUN, log: logTo(logger), currentUrl }
    const others = new SharedDatabase(target, options)
    const dispose = () => others[Symbol.asyncDispose]()
    return { ofRuns, ofOthers: { open: others.open }, [Symbol.asyncDispose]: dispose }
  }
  const folder = new SharedDatabase(
    {
      open: async (options) => {
        const open = () => connect(target, { ...options, onFolderInUse })
        const held = await holdDatabase(target, { signal, logger }, open)
        const close = async () => held[Symbol.asyncDispose]()
        return { ...held.database, close, [Symbol.asyncDispose]: close }
      },
    },
    { log: logTo(logger) },
  )
  const shared = { open: folder.open }
  return { ofRuns: shared, ofOthers: shared, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

interface AccountWork {
  readonly pool: RunPool
  /** Also of a mirror that was moved, when the worker still names the former database. */
  readonly noticeCall: RunCall
  readonly logger: Logger
  readonly signal: AbortSignal
}

async function workedAccount(config: AccountConfig, work: AccountWork): Promise<WorkedAccount> {
  const { account, run, worker } = config
  const logger = accountWorkerLogger(work.logger, account)
  return {
    name: account,
    schedule: worker.schedule,
    timeZone: worker.timezone,
    version: settingsVersion(config),
    log: logTo(logger),
    run: async (sign) => outcomeFor(await syncInTurn(config, work, logger, sign), run.holdForMs),
    companions: await noticeCompanions({ call: work.noticeCall, config, logger }),
  }
}

async function syncInTurn(
  config: AccountConfig,
  { pool, signal }: AccountWork,
  logger: Logger,
  sign: () => void,
): Promise<RunReport> {
  const options = { ...pooledRunOptions(config), signal, logger, onTurn: sign, onAlive: sign }
  const running = withNamesOf(config, () => pool.sync(options))
  return withReport(running, async (report) => logReport(report, config, logger))
}

/** One line: a thousand accounts run every quarter of an hour. */
function logReport(report: RunReport, { logFormat }: Pick<Config, 'logFormat'>, logger: Logger): void {
  const level = isGoodRun(report) ? 'info' : 'warn'
  const { plan: _, ...told } = report
  logger[level](logFormat === 'pretty' ? {} : { report: told }, `${report.mode} ${outcomeOf(report)}`)
}
