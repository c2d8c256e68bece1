import { readServiceConfig, type Flags, type ServiceConfig } from '../../config/config.ts'
import { pgliteDataDir } from '../../db/connect.ts'
import { holdTimeLeft } from '../../common/schema/holds.ts'
import { isGoodRun, outcomeOf } from '../../common/schema/run-report.ts'
import type { DatabaseOptions } from '../../db/target.ts'
import { DataDirInUseError, MirrorNotFoundError, UsageError } from '../../common/errors.ts'
import type { RunReport } from '../../index.ts'
import type { RunOutcome } from '../../schedule/run-guard.ts'
import type { Command, Context } from '../cli/context.ts'
import { holdDatabase, openExisting, type HeldDatabase } from '../serve/hold-database.ts'
import { openLog, type Log } from '../open-log.ts'
import { logFormatOfService } from '../terminal/logger.ts'
import { reported, runOptions } from './run-command.ts'
import { confirmingAccount } from './confirm-new-account.ts'
import { describeHeldList } from '../output/held-deletions.ts'

/** Runs `sync` on a schedule until a signal stops it; a stop is no failure. */
export const worker: Command<Flags> = async ({ flags, terminal, signal }) => {
  const given = await readServiceConfig(flags, undefined, { database: true })
  const config = { ...given, logFormat: logFormatOfService(given, terminal.err) }
  const work = { config, terminal, signal, ...(await openLog(config, terminal)) }
  if (pgliteDataDir(config.database.target) === null) {
    if (flags['keepOpen'] !== undefined)
      throw new UsageError(
        'worker: --keep-open is for a pglite: folder; connections to Postgres need no flag',
      )
    await workOn({ database: config.database.target }, work)
  } else await workInFolder(work)
  work.logger.info({}, 'the worker was stopped')
  return 0
}

/** What the worker's health goes by. */
function outcomeFor(report: RunReport, holdForMs: number): RunOutcome {
  return {
    outcome: outcomeOf(report),
    isGood: isGoodRun(report),
    holds: report.holds.map((hold) => ({
      description: describeHeldList(hold),
      overdueAfterMs: holdTimeLeft(hold, holdForMs, report.finished_at),
    })),
  }
}

interface Work extends Pick<Context<Flags>, 'terminal' | 'signal'>, Log {
  readonly config: ServiceConfig
}

/** A folder is open during a run, or, with `--keep-open`, from then on. Where there is no mirror yet the run makes it. */
async function workInFolder(work: Work): Promise<void> {
  const { config } = work
  let held: HeldDatabase | null = null
  let isRunning = false
  const close = async () => {
    const closing = held
    held = null
    await closing?.[Symbol.asyncDispose]()
  }
  const withFolder: WithDatabase = async (run) => {
    held ??= await holdIfThere(config.database.target, work, () => openExisting(config, work))
    if (held === null) return run({ database: config.database.target })
    let isLost = false
    try {
      return await run({ opened: held.database })
    } catch (error) {
      isLost = error instanceof DataDirInUseError
      throw error
    } finally {
      if (isLost || !config.worker.keepOpen) await close()
    }
  }
  await workOn(async (run) => {
    isRunning = true
    try {
      return await withFolder(run)
    } finally {
      isRunning = false
    }
  }, work)
  // A run that could not be ended in time still uses it; the process ends then, and the database rolls it back.
  if (!isRunning) await close()
}

async function holdIfThere(...to: Parameters<typeof holdDatabase>): Promise<HeldDatabase | null> {
  try {
    return await holdDatabase(...to)
  } catch (error) {
    if (error instanceof MirrorNotFoundError) return null
    throw error
  }
}

/** How a run gets its database. */
type WithDatabase = <T>(run: (database: DatabaseOptions) => Promise<T>) => Promise<T>

/** The schedule, until the signal, or what no later run will mend, ends it. */
export async function workOn(
  database: DatabaseOptions | WithDatabase,
  { config, terminal, signal, logger }: Work,
): Promise<void> {
  const withDatabase: WithDatabase = typeof database === 'function' ? database : (run) => run(database)
  const [{ sync }, { runWorker }] = await Promise.all([
    import('../../index.ts'),
    import('../../schedule/worker.ts'),
  ])
  const { database: _, ...options } = runOptions(config)
  // An account that is renamed under a worker is not made anew, and nobody is asked in the middle of its life.
  let isNew = true
  await runWorker({
    run: async (sign) => {
      const asking = { terminal, signal, mayAsk: isNew }
      const running = confirmingAccount(asking, isNew && config.newAccount, (createAccount) =>
        withDatabase((given) => sync({ ...options, ...given, createAccount, signal, logger, onAlive: sign })),
      )
      const report = await reported(running, config, logger, terminal.err)
      isNew = false
      return outcomeFor(report, config.run.holdForMs)
    },
    schedule: config.worker.schedule,
    timeZone: config.worker.timezone,
    healthPort: config.worker.healthPort,
    signal,
    log: (level, message, fields = {}) => logger[level](fields, message),
  })
}
