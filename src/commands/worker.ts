import { readServiceConfig, type Flags } from '../config.ts'
import type { Command } from './context.ts'
import { createLogger } from './logger.ts'
import { announce, runOptions } from './mirroring.ts'
import { concealSecrets } from './secrets.ts'

/** Runs `sync` on a schedule until a signal stops it; a stop is no failure. */
export const worker: Command<Flags> = async ({ flags, terminal, signal }) => {
  const config = await readServiceConfig(flags, undefined, { database: true })
  concealSecrets(config, terminal)
  const { err } = terminal
  // Reports go the way of the log: a container's log is read by programs.
  const logFormat = config.logFormat ?? (err.isTerminal ? 'pretty' : 'json')
  const logger = await createLogger({ ...config, logFormat }, err)
  const [{ sync }, { runWorker }] = await Promise.all([import('../index.ts'), import('../worker/worker.ts')])
  await runWorker({
    run: async (sign) => {
      const report = await sync({ ...runOptions(config), signal, logger, onAlive: sign })
      await announce(report, { ...config, logFormat }, logger, err)
      return report
    },
    schedule: config.worker.schedule,
    timeZone: config.worker.timezone,
    healthPort: config.worker.healthPort,
    signal,
    log: (level, message, fields = {}) => logger[level](fields, message),
  })
  logger.info({}, 'the worker was told to stop, and has')
  return 0
}
