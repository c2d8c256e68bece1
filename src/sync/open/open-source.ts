import { createSource, type Source } from '../../source/api.ts'
import { logTo, type Progress, type ResolvedOptions } from '../options.ts'
import type { RunStats } from '../run-stats.ts'

interface SourceCallbacks {
  /** Called when the service begins to slow the requests down, and when that is over. */
  readonly slowed: () => void
  /** Whether messages may quote what the service answers. */
  readonly mayQuote: () => boolean
}

/** The client of the service, by the settings; `signal` ends whatever is under way. */
export function openSource(
  settings: ResolvedOptions,
  signal: AbortSignal,
  { slowed, mayQuote }: SourceCallbacks,
): Source {
  const log = logTo(settings.logger)
  return createSource({
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    requestTimeoutMs: settings.requestTimeoutMs,
    maxBodyBytes: settings.maxBodyBytes,
    maxBufferedBytes: settings.inMemoryBytes,
    chunkBytes: settings.chunkBytes,
    concurrency: settings.concurrency,
    host: settings.host,
    turn: settings.turn,
    runDeadline: settings.runTimeoutMs === null ? null : performance.now() + settings.runTimeoutMs,
    signal,
    log,
    onSlowdown: slowed,
    mayQuote,
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
