/** The port for monitors: of `serve` by itself, for a schedule opens it too (schedule/worker.ts). */
import { isIPv6 } from 'node:net'
import type { WorkerConfig } from '../../config/read-run.ts'
import type { Logger } from '../../index.ts'
import { isLoopback } from '../../source/url.ts'

/** It has no key: whoever reaches it reads the names of accounts, and how they stand. */
export function warnOfOpenPort({ healthPort, healthHost }: WorkerConfig, logger: Logger): void {
  if (healthPort === null) return
  const address = new URL(`http://${isIPv6(healthHost) ? `[${healthHost}]` : healthHost}`)
  // guard: metrics for everybody
  if (isLoopback(address)) return
  logger.warn(
    {},
    `health and metrics are answered on ${healthHost} without a key: let only your monitoring reach port ${healthPort}`,
  )
}

/** Of `serve` without a schedule, which has no health of its own to tell: that it answers, and its metrics. */
export async function answerMonitors(
  worker: WorkerConfig,
  metricsText: (() => Promise<string>) | null,
  logger: Logger,
): Promise<AsyncDisposable | null> {
  const { healthPort: port, healthHost: host } = worker
  if (port === null) return null
  warnOfOpenPort(worker, logger)
  const { serveHealth } = await import('../../schedule/health-endpoint.ts')
  const health = () => ({ healthy: true, reason: 'serve answers' })
  const endpoint = await serveHealth({ host, port }, health, metricsText)
  logger.info({}, `health is answered at ${endpoint.url}`)
  return endpoint
}
