import { openAccounts } from '../../config/accounts/accounts-reader.ts'
import { readConfig, readServiceConfig, type Flags, type ServiceConfig } from '../../config/config.ts'
import { pgliteDataDir } from '../../db/connect.ts'
import { holdTimeLeft } from '../../common/schema/holds.ts'
import { isGoodRun, outcomeOf } from '../../common/schema/run-report.ts'
import { UsageError } from '../../common/errors.ts'
import type { RunReport } from '../../index.ts'
import type { RunOutcome } from '../../orchestration/schedule/run-guard.ts'
import type { Command, Context } from '../cli/context.ts'
import { callMirror } from '../../mirror/library-api/with-mirror.ts'
import type { RunCall } from '../../outputs/notify/deliver.ts'
import { databaseOf, openLog, type Log } from '../open-log.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import { alwaysThere, shareFolder, type DatabaseAccess } from './folder-access.ts'
import type { workOnQueue as runOnQueue } from './queue-worker.ts'
import { reported, pooledRunOptions } from './run-command.ts'
import { renewedKeys } from './accounts/renewed-keys.ts'
import { warnOfOpenPort } from '../serve/monitor.ts'
import { digestCompanions, noticeCompanions } from './companions/companions.ts'
import { lastGoodRunsOf } from './last-good-runs.ts'
import { DEFAULT_ACCOUNT } from '../../sync/open/find-account.ts'
import { logTo } from '../../sync/options.ts'
import { openTelemetryOfService } from './with-telemetry.ts'
import { confirmingAccount } from './confirm-new-account.ts'
import { describeHeldList } from '../output/held-deletions.ts'

/** Runs `sync` on a schedule until a signal stops it; a stop is no failure. */
export const worker: Command<Flags> = async (context) => {
  const { flags } = context
  const reader = await openAccounts(flags)
  if (reader === null) {
    const config = await readServiceConfig(flags, undefined, { database: true })
    return config.worker.queue ? workOnQueue(context, config, config) : workOnOne(context, config)
  }
  const config = await readConfig(flags)
  if (config.worker.queue) return workOnQueue(context, config, reader)
  const { workOnAccounts } = await import('./accounts-worker.ts')
  return workOnAccounts(context, config, reader)
}

async function workOnQueue(...work: Parameters<typeof runOnQueue>): Promise<number> {
  const queue = await import('./queue-worker.ts')
  return queue.workOnQueue(...work)
}

async function workOnOne(context: Context<Flags>, given: ServiceConfig): Promise<number> {
  const { flags, terminal, signal } = context
  const config = { ...given, logFormat: logFormatOfService(given, terminal.err) }
  const log = await openLog(config, terminal)
  await using telemetry = await openTelemetryOfService(context, config, log.logger)
  const renewed = renewedKeys(config, () => readServiceConfig(flags), { terminal, ...log })
  const work = { config, renewed, terminal, signal, metricsText: telemetry.metricsText, ...log }
  if (pgliteDataDir(config.database.target) === null) {
    if (flags['keepOpen'] !== undefined)
      throw new UsageError(
        'worker: --keep-open is for a pglite: folder; connections to Postgres need no flag',
      )
    await workOn(alwaysThere(databaseOf(config, terminal)), work)
  } else {
    // A folder is open while a run or a digest uses it, or, with `--keep-open`, from then on.
    const folder = shareFolder(config, work)
    await workOn(folder, work)
    await folder.close()
  }
  work.logger.info({}, 'the worker was stopped')
  return 0
}

/** What the worker's health goes by. */
export function outcomeFor(report: RunReport, holdForMs: number): RunOutcome {
  return {
    outcome: outcomeOf(report),
    isGood: isGoodRun(report),
    end: report.status === 'partial' ? 'partial' : 'complete',
    holds: report.holds.map((hold) => ({
      description: describeHeldList(hold),
      overdueAfterMs: holdTimeLeft(hold, holdForMs, report.finished_at),
    })),
  }
}

interface Work extends Pick<Context<Flags>, 'terminal' | 'signal'>, Log {
  readonly config: ServiceConfig
  /** For a run that begins: the same with the keys that their files have now. */
  readonly renewed: () => Promise<ServiceConfig>
  /** For `GET /metrics`; null: there is none. */
  readonly metricsText: (() => Promise<string>) | null
}

/** The schedule, until the signal, or what no later run will mend, ends it. */
export async function workOn(access: DatabaseAccess, work: Work): Promise<void> {
  const { config, renewed, terminal, signal, logger, metricsText } = work
  const [{ sync }, { runWorker }] = await Promise.all([
    import('../../index.ts'),
    import('../../orchestration/schedule/worker.ts'),
  ])
  const { healthPort: port, healthHost: host } = config.worker
  warnOfOpenPort(config.worker, logger)
  // An account that is renamed under a worker is not made anew, and nobody is asked in the middle of its life.
  let isNew = true
  const callWith =
    (force: boolean): RunCall =>
    (asked, input) =>
      access.forOthers((given) => callMirror({ ...given, logger, force }, asked, input))
  const call = callWith(false)
  await runWorker({
    run: async (sign) => {
      const options = pooledRunOptions(await renewed())
      const asking = { terminal, signal, mayAsk: isNew }
      const running = confirmingAccount(asking, isNew && config.newAccount, (createAccount) =>
        access.forRun((given) =>
          sync({ ...options, ...given, createAccount, signal, logger, onAlive: sign }),
        ),
      )
      const report = await reported(running, config, logger, terminal.err)
      isNew = false
      return outcomeFor(report, config.run.holdForMs)
    },
    schedule: config.worker.schedule,
    timeZone: config.worker.timezone,
    health: port === null ? null : { host, port },
    metricsText,
    signal,
    lastGoodRuns: lastGoodRunsOf(config.account ?? DEFAULT_ACCOUNT, { call, run: config.run, logger }),
    companions: [
      ...(await digestCompanions({ call, config, logger })),
      // Also of a mirror that was moved, when the worker still names the former database.
      ...(await noticeCompanions({ call: callWith(true), config, logger })),
    ],
    log: logTo(logger),
  })
}
