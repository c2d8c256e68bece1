import type { Logger } from 'pino'
import { errorCode } from '../../common/error-code.ts'
import type { Config } from '../../config/config.ts'
import { stripControlChars, escapeControlCharsInJson } from '../../common/text/strip-control-chars.ts'
import type { Output } from './terminal.ts'

/** Names under which a secret could travel in a log line's fields. */
const secretNames = [
  'apiKey',
  'api_key',
  'key',
  'password',
  'connectionString',
  'database',
  'x-api-key',
  'X-API-Key',
]
const redact = {
  paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
  censor: '[secret]',
}

/** False where only warnings and errors are wanted, as with `--quiet`. */
export function showsProgress({ logLevel }: Pick<Config, 'logLevel'>): boolean {
  return logLevel === 'info' || logLevel === 'debug'
}

/** `worker` and `serve` run where programs read their log; what a one-shot command says is read by people, also as mail. */
export function logFormatOfService({ logFormat }: Pick<Config, 'logFormat'>, err: Output): 'pretty' | 'json' {
  return logFormat ?? (err.isTerminal ? 'pretty' : 'json')
}

/**
 * The log of a command on stderr: prose, or one JSON document a line. Errors are written with their causes, without what drivers hang on them (parameters, addresses).
 *
 * `write` is where lines go: not straight to stderr while a progress bar stands there.
 */
export async function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  err: Output,
  write: ((text: string) => void) | null = null,
): Promise<Logger> {
  const { pino } = await import('pino')
  return pino(
    {
      level: config.logLevel,
      base: null,
      redact,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError, cause: describeError },
    },
    { write: await writerOf(config, err, write) },
  )
}

async function writerOf(
  { logFormat }: Pick<Config, 'logFormat'>,
  err: Output,
  given: ((text: string) => void) | null,
): Promise<(line: string) => void> {
  const write = given ?? ((text: string) => void err.write(text))
  if (logFormat === 'json') return (line) => write(escapeControlCharsInJson(line))
  if (given !== null || err.isTerminal) {
    const prettify = await loadPrettifier(err)
    return (line) => write(prettify(line))
  }
  const prettify = lazyPrettifier(err)
  return (line) => void err.write(prettify(line))
}

/** What makes prose of a line is loaded with the first one: a run that succeeds quietly writes none. */
function lazyPrettifier(err: Output): (line: string) => Promise<string> {
  let loading: ReturnType<typeof loadPrettifier> | null = null
  return async (line) => {
    const prettify = await (loading ??= loadPrettifier(err))
    return prettify(line)
  }
}

async function loadPrettifier(err: Output): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({
    colorize: err.style('bold', 'x') !== 'x',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  })
  // Cleaned before colours are added, for cleaning would take them away again.
  return (line) => prettify(cleanFields(line))
}

function cleanFields(line: string): object {
  const fields: unknown = JSON.parse(line, (_, value: unknown) =>
    typeof value === 'string' ? stripControlChars(value) : value,
  )
  return typeof fields === 'object' && fields !== null ? fields : {}
}

interface DescribedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly cause?: DescribedError
}

function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const code = errorCode(error)
  return {
    name: error.name,
    message: error.message,
    ...(code !== null && { code }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}
