import { createSource, type Source, type SourceOptions } from '../../source/api.ts'
import { logTo, type Progress, type ResolvedOptions } from '../options.ts'
import type { RunStats } from '../run-stats.ts'

/** The client of the service, by the settings; `signal` ends whatever is under way. */
export function openSource(
  settings: ResolvedOptions,
  signal: AbortSignal,
  callbacks: Required<Pick<SourceOptions, 'onSlowdown' | 'mayQuote'>>,
): Source {
  const { runTimeoutMs, logger } = settings
  return createSource({
    ...settings,
    ...callbacks,
    signal,
    runDeadline: runTimeoutMs === null ? null : performance.now() + runTimeoutMs,
    log: logTo(logger),
  })
}

/** Requests that were sent again, after failures and after refusals. */
export function resentRequests({ counts }: Pick<Source, 'counts'>): number {
  return counts.retries + counts.rejectedRetries
}

/** How far a run is. */
export function progressOf(stats: RunStats, source: Source): Progress {
  return {
    phase: stats.phase,
    events: { done: stats.events.done, total: stats.events.due, skipped: stats.events.skipped },
    responses: stats.responsesRead,
    changedRows: stats.changedRows,
    retries: resentRequests(source),
    slowdown: source.slowdown,
    bytes: source.counts.bytesReceived,
  }
}
