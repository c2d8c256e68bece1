/** Spans and metrics of a command, where the environment asks for them. */
import { readConfig, type Config, type Flags } from '../../config/config.ts'
import { readTelemetry } from '../../config/read-telemetry.ts'
import type { Logger } from '../../index.ts'
import type { Command, Context } from '../cli/context.ts'
import { rateLimitLog } from '../terminal/log-throttle.ts'
import { createLogger } from '../terminal/logger.ts'

/** So long a command waits for a collector that does not answer; after a signal, when the work has taken its time, less. */
const MAX_FLUSH_MS = 2000
const MAX_FLUSH_AFTER_SIGNAL_MS = 500
/** A collector may answer with a page. */
const MAX_MESSAGE = 200

export interface OpenTelemetry extends AsyncDisposable {
  /** The metrics in Prometheus' text form; null unless they are gathered for it. */
  readonly metricsText: (() => Promise<string>) | null
}

interface Opening {
  /** Whether somebody may ask for the metrics by HTTP. */
  readonly scrape: boolean
  /** What cannot be sent. */
  readonly log: (message: string) => void
}

/**
 * Loads OpenTelemetry's SDK where spans or metrics are asked for, and sends what is left when it is disposed of.
 *
 * @throws ConfigurationError for a variable of OpenTelemetry that headcount cannot follow
 */
async function openTelemetry(
  { terminal, signal, leaveOpen }: Pick<Context<Flags>, 'terminal' | 'signal' | 'leaveOpen'>,
  { scrape, log }: Opening,
): Promise<OpenTelemetry> {
  const { config, metricsAreOff } = readTelemetry()
  const scraped = scrape && !metricsAreOff
  if (config === null && !scraped) return { metricsText: null, [Symbol.asyncDispose]: async () => {} }
  for (const secret of config?.secrets ?? []) terminal.redact(secret)
  const limited = rateLimitLog((message) => log(`telemetry: ${shorten(String(message))}`))
  const { startTelemetry } = await import('../../telemetry/sdk/telemetry.ts')
  const { metricsText, shutdown } = startTelemetry({ config, scrape: scraped, log: limited })
  return {
    metricsText,
    [Symbol.asyncDispose]: async () => {
      const maxMs = signal.aborted ? MAX_FLUSH_AFTER_SIGNAL_MS : MAX_FLUSH_MS
      if (await shutdown(maxMs)) return
      limited(`the collector did not take the last spans and metrics within ${maxMs} ms`)
      leaveOpen()
    },
  }
}

/** Of a command that goes on: metrics are gathered where a port is set for them, and what cannot be sent is logged. */
export function openTelemetryOfService(
  context: Parameters<typeof openTelemetry>[0],
  { worker }: Pick<Config, 'worker'>,
  logger: Logger,
): Promise<OpenTelemetry> {
  return openTelemetry(context, {
    scrape: worker.healthPort !== null,
    log: (line) => logger.info({}, line),
  })
}

/** A command that runs once: what could not be sent is said at its end, in one line. */
export function withTelemetry<F extends Flags>(command: Command<F>): Command<F> {
  return async (context) => {
    const failures: string[] = []
    try {
      await using _ = await openTelemetry(context, { scrape: false, log: (line) => failures.push(line) })
      return await command(context)
    } finally {
      const [first] = failures
      if (first !== undefined) await report(context, first)
    }
  }
}

/** At `info`: the mirror is right, and cron sends no mail for a collector that is away. */
async function report({ flags, terminal }: Context<Flags>, line: string): Promise<void> {
  const config = await readConfig(flags).catch(() => null)
  // The command has said what is wrong with its settings.
  if (config === null) return
  const logger = await createLogger(config, terminal.err)
  logger.info({}, line)
}

function shorten(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)} …` : message
}
