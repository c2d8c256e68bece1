import { readServiceConfig, type Flags, type ServiceConfig } from '../config.ts'
import { patienceWith } from '../db/holds.ts'
import { isGoodRun, outcomeOf } from '../db/run-report.ts'
import type { DatabaseOptions } from '../db/target.ts'
import type { Logger, RunReport } from '../index.ts'
import type { RunOutcome } from '../worker/runs.ts'
import type { Command, Context } from './context.ts'
import { createLogger, logFormatOfService } from './logger.ts'
import { announced, runOptions } from './mirroring.ts'
import { confirmingAccount } from './new-account.ts'
import { describeHeldList } from './print/held.ts'
import { concealSecrets } from './secrets.ts'

/** Runs `sync` on a schedule until a signal stops it; a stop is no failure. */
export const worker: Command<Flags> = async ({ flags, terminal, signal }) => {
  const given = await readServiceConfig(flags, undefined, { database: true })
  const config = { ...given, logFormat: logFormatOfService(given, terminal.err) }
  concealSecrets(config, terminal)
  const logger = await createLogger(config, terminal.err)
  await workOn({ database: config.database.target }, { config, terminal, signal, logger })
  logger.info({}, 'the worker was told to stop, and has')
  return 0
}

/** What the worker's health goes by. */
function outcomeFor(report: RunReport, holdForMs: number): RunOutcome {
  return {
    outcome: outcomeOf(report),
    isGood: isGoodRun(report),
    holds: report.holds.map((hold) => ({
      description: describeHeldList(hold),
      patienceMs: patienceWith(hold, holdForMs, report.finished_at),
    })),
  }
}

interface Work extends Pick<Context<Flags>, 'terminal' | 'signal'> {
  readonly config: ServiceConfig
  readonly logger: Logger
}

/** The schedule, until the signal, or what no later run will mend, ends it. */
export async function workOn(
  database: DatabaseOptions,
  { config, terminal, signal, logger }: Work,
): Promise<void> {
  const [{ sync }, { runWorker }] = await Promise.all([import('../index.ts'), import('../worker/worker.ts')])
  const { database: _, ...options } = runOptions(config)
  // An account that is renamed under a worker is not made anew, and nobody is asked in the middle of its life.
  let isNew = true
  await runWorker({
    run: async (sign) => {
      const asking = { terminal, signal, mayAsk: isNew }
      const running = confirmingAccount(asking, isNew && config.newAccount, (createAccount) =>
        sync({ ...options, ...database, createAccount, signal, logger, onAlive: sign }),
      )
      const report = await announced(running, config, logger, terminal.err)
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
