import { createSource } from '../source/api.ts'
import type { Source } from '../source/api.ts'
import type { Logger, Settings } from './options.ts'

/** The way to the service, as the settings say; `signal` ends whatever is under way. */
export function openSource(settings: Settings, signal: AbortSignal): Source {
  return createSource({
    baseUrl: settings.baseUrl,
    apiKey: settings.apiKey,
    requestTimeoutMs: settings.requestTimeoutMs,
    maxBodyBytes: settings.maxBodyBytes,
    inMemoryBytes: settings.inMemoryBytes,
    pieceBytes: settings.pieceBytes,
    concurrency: settings.concurrency,
    runDeadline: settings.runTimeoutMs === null ? null : performance.now() + settings.runTimeoutMs,
    signal,
    log: logTo(settings.logger),
  })
}

/** For rooms that know no logger. */
export function logTo(logger: Logger) {
  return (level: 'debug' | 'warn', message: string, fields: object = {}) => logger[level](fields, message)
}
