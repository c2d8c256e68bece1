/** The port for monitors: of `serve` by itself and of `worker --queue`, for a schedule opens it too (schedule/worker.ts). */
import type { WorkerConfig } from '../../config/read-run.ts'
import type { Logger } from '../../index.ts'
import type { AccountVerdicts } from '../../orchestration/schedule/health-endpoint.ts'
import { isLoopback, withBrackets } from '../../common/listen.ts'

/** It has no key: whoever reaches it reads the names of accounts, and how they stand. */
export function warnOfOpenPort({ healthPort, healthHost }: WorkerConfig, logger: Logger): void {
  if (healthPort === null) return
  const address = URL.parse(`http://${withBrackets(healthHost)}`)
  // guard: metrics for everybody
  if (address !== null && isLoopback(address.hostname)) return
  logger.warn(
    {},
    `health and metrics are answered on ${healthHost} without a key: let only your monitoring reach port ${healthPort}`,
  )
}

/** Who answers the monitors. */
interface Answers extends Pick<AccountVerdicts, 'noAccount'> {
  readonly health: () => { readonly healthy: boolean }
  /** null: metrics are not gathered. */
  readonly metricsText: (() => Promise<string>) | null
}

/** Of a command without a schedule of its own; null where no port is set. */
export async function answerMonitors(
  worker: WorkerConfig,
  logger: Logger,
  { health, metricsText, ...ofAccounts }: Answers,
): Promise<AsyncDisposable | null> {
  const { healthPort: port, healthHost: host } = worker
  if (port === null) return null
  warnOfOpenPort(worker, logger)
  const { serveHealth } = await import('../../orchestration/schedule/health-endpoint.ts')
  const endpoint = await serveHealth({ host, port }, health, metricsText, ofAccounts)
  logger.info({}, `health is answered at ${endpoint.url}`)
  return endpoint
}
