/**
 * The settings of the command line: flags before environment before defaults, read once into a frozen
 * {@link Config}. Every fault is collected and reported at once. Nothing else reads the environment.
 */
import { createSettingsReader, type Flag, type SettingsReader } from './reading.ts'
import { secretSource, type Environment } from './secrets.ts'
import { readNotify, type NotifyConfig } from './read-notify.ts'
import { settings, variableNames } from './settings.ts'
import { databaseTarget, InvalidValueError, MIN_PERSON_KEY_LENGTH } from '../common/parse-values.ts'
import { unknownVariables, withoutServiceLinks } from './variable-names.ts'
import { ConfigurationError } from '../common/errors.ts'
import { apiKey } from '../source/api-key.ts'
import { isUnprotected } from '../source/url.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What every command may look at. Times in milliseconds, sizes in bytes. */
export interface Config {
  readonly logLevel: LogLevel
  /** null: nobody chose; `worker` and `serve` write json where no terminal is, all else is prose. */
  readonly logFormat: 'pretty' | 'json' | null
  /** null: nobody chose. */
  readonly account: string | null
  /** A run may make a further account in a mirror that has some. */
  readonly newAccount: boolean
  /** The key of the suppression list; null: there is none. */
  readonly personKey: string | null
  readonly database: DatabaseConfig
  readonly run: RunConfig
  readonly worker: WorkerConfig
  readonly serve: ServeConfig
  readonly notify: NotifyConfig
}

/** The settings of a command that speaks to the service. */
export interface ServiceConfig extends Config {
  readonly service: {
    readonly baseUrl: URL
    readonly apiKey: string
    /** The variable or the file that holds it, for messages. */
    readonly apiKeyFrom: string
    readonly allowHttp: boolean
  }
}

export interface DatabaseConfig {
  /** `postgres://…` or `pglite:<dir>`. */
  readonly target: string
  /** Nobody chose it: worth a word on stderr. */
  readonly isDefault: boolean
}

export interface RunConfig {
  readonly concurrency: number
  readonly requestTimeoutMs: number
  readonly runTimeoutMs: number | null
  readonly maxBodyBytes: number
  readonly maxStalenessMs: number
  readonly holdForMs: number
  /** null: personal data are kept. */
  readonly forgetAfterMs: number | null
  /** Fields that are never stored. */
  readonly leaveOut: readonly string[]
  /** Fields that are stored as keyed hashes. */
  readonly pseudonymise: readonly string[]
}

export interface WorkerConfig {
  /** Cron's form. */
  readonly schedule: string
  readonly timezone: string
  readonly healthPort: number | null
  /** Keeps a PGlite folder open between two runs. */
  readonly keepOpen: boolean
}

/** Where the mirror is served. */
export interface ServeConfig {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Where others reach it, without a `/` at its end; null: nobody said. */
  readonly publicUrl: string | null
  /** A line of log for each request. */
  readonly accessLog: boolean
}

/** Options of the command line by commander's names (`--base-url` is `baseUrl`). */
export type Flags = Readonly<Record<string, Flag>>

/** The embedded database of the one-shot commands when nobody names another. */
export const defaultDatabase = 'pglite:./headcount-data'

// oxlint-disable-next-line node/no-process-env -- the only reader of the environment
const ownEnvironment: Environment = process.env

/**
 * The settings of a command that needs no key.
 *
 * @throws ConfigurationError that lists every fault
 */
export async function readConfig(flags: Flags, environment: Environment = ownEnvironment): Promise<Config> {
  const reading = openOwnReader(environment)
  const config = await readCommon(reading, flags)
  // Checked wherever it is set, for a faulty address is a fault of the whole setup.
  await reading.take(settings.baseUrl, flags['baseUrl'])
  await reading.take(settings.allowHttp, flags['allowHttp'])
  reading.finish()
  return config
}

/**
 * The settings of a command that speaks to the service: its address and the key must be there, and the database
 * too when it is demanded.
 *
 * @throws ConfigurationError that lists every fault
 */
export async function readServiceConfig(
  flags: Flags,
  environment: Environment = ownEnvironment,
  demands: { readonly database?: boolean } = {},
): Promise<ServiceConfig> {
  const reading = openOwnReader(environment)
  const baseUrl = await reading.demand(settings.baseUrl, flags['baseUrl'], baseUrlRemedy)
  const key = reading.secret('HEADCOUNT_API_KEY', trimmedApiKey, keyRemedy)
  const allowHttp = await reading.take(settings.allowHttp, flags['allowHttp'])
  // guard: plain http
  if (baseUrl && !allowHttp && isUnprotected(baseUrl)) reading.faults.push(PLAIN_HTTP_FAULT)
  const config = await readCommon(reading, flags, demands.database ? databaseRemedy : undefined)
  reading.finish()
  if (baseUrl === null || key === null) throw new ConfigurationError(reading.faults)
  const apiKeyFrom = secretSource(environment, 'HEADCOUNT_API_KEY')
  return Object.freeze({ ...config, service: Object.freeze({ baseUrl, apiKey: key, apiKeyFrom, allowHttp }) })
}

const baseUrlRemedy = `set it (or --base-url) to the service's address, like ${settings.baseUrl.example}`
const keyRemedy =
  'set it to the key from the API page of the service, or HEADCOUNT_API_KEY_FILE to a file that holds the key'
const databaseRemedy =
  'set it (or --database) to postgres://… or pglite:<folder>, or DATABASE_URL_FILE to a file that holds it; ' +
  'there is no default here, for a folder inside a container would be thrown away with it'
const PLAIN_HTTP_FAULT =
  'HEADCOUNT_BASE_URL would send the key over plain http to another machine: use https://, ' +
  'or --allow-http (HEADCOUNT_ALLOW_HTTP=1) if that is what you want'

/** Every fault in what is set, without asking for what is not: for a call that could not be read itself. */
export async function environmentFaults(
  environment: Environment = ownEnvironment,
): Promise<readonly string[]> {
  const reading = openOwnReader(environment)
  for (const setting of Object.values(settings)) await reading.take<unknown>(setting)
  reading.secret('HEADCOUNT_API_KEY', trimmedApiKey)
  reading.secret('HEADCOUNT_PERSON_KEY', personKey)
  await readNotify(reading, {})
  readDatabase(reading, undefined)
  return reading.faults
}

/** Blanks around a key come from copying. */
function trimmedApiKey(text: string): string {
  return apiKey(text.replace(/^[ \t]+|[ \t]+$/g, ''))
}

/** A shorter text can be guessed, and with it every address on the list. */
function personKey(text: string): string {
  if (text.length >= MIN_PERSON_KEY_LENGTH) return text
  throw new InvalidValueError(
    `must have ${MIN_PERSON_KEY_LENGTH} characters or more, and has ${text.length}: make one with openssl rand -hex 32`,
  )
}

function openOwnReader(environment: Environment): SettingsReader {
  const own = withoutServiceLinks(environment)
  const reading = createSettingsReader(own)
  // guard: unknown variables
  reading.faults.push(...unknownVariables(own, variableNames))
  return reading
}

async function readCommon(reading: SettingsReader, flags: Flags, databaseRemedy?: string): Promise<Config> {
  const logLevel = await reading.take(settings.logLevel)
  return Object.freeze({
    logLevel: flags['quiet'] === true && logLevel !== 'error' ? 'warn' : logLevel,
    logFormat: await reading.take(settings.logFormat),
    account: await reading.take(settings.account, flags['account']),
    newAccount: await reading.take(settings.newAccount, flags['newAccount']),
    personKey: reading.secret('HEADCOUNT_PERSON_KEY', personKey),
    database: readDatabase(reading, flags['database'], databaseRemedy),
    run: await readRun(reading, flags),
    worker: await readWorker(reading, flags),
    serve: Object.freeze({
      host: await reading.take(settings.serveHost, flags['host']),
      port: await reading.take(settings.servePort, flags['port']),
      publicUrl: await reading.take(settings.publicUrl, flags['publicUrl']),
      accessLog: await reading.take(settings.accessLog, flags['accessLog']),
    }),
    notify: await readNotify(reading, flags),
  })
}

function readDatabase(reading: SettingsReader, flag: Flag, remedy?: string): DatabaseConfig {
  if (flag === undefined) {
    const target = reading.secret('DATABASE_URL', databaseTarget, remedy)
    return Object.freeze({ target: target ?? defaultDatabase, isDefault: target === null })
  }
  try {
    return Object.freeze({ target: databaseTarget(String(flag)), isDefault: false })
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    reading.faults.push(`--database ${error.message} (for example --database ${defaultDatabase})`)
    return { target: defaultDatabase, isDefault: true }
  }
}

async function readRun(reading: SettingsReader, flags: Flags): Promise<RunConfig> {
  return Object.freeze({
    concurrency: await reading.take(settings.concurrency, flags['concurrency']),
    requestTimeoutMs: await reading.take(settings.requestTimeout, flags['requestTimeout']),
    runTimeoutMs: await reading.take(settings.runTimeout, flags['runTimeout']),
    maxBodyBytes: await reading.take(settings.maxBody, flags['maxBody']),
    maxStalenessMs: await reading.take(settings.maxStaleness, flags['maxStaleness']),
    holdForMs: await reading.take(settings.holdFor, flags['holdFor']),
    forgetAfterMs: await reading.take(settings.forgetAfter, flags['forgetAfter']),
    leaveOut: await reading.take(settings.leaveOut),
    pseudonymise: await reading.take(settings.pseudonymise),
  })
}

async function readWorker(reading: SettingsReader, flags: Flags): Promise<WorkerConfig> {
  return Object.freeze({
    schedule: await reading.take(settings.schedule, flags['schedule']),
    timezone: await reading.take(settings.timezone, flags['timezone']),
    healthPort: await reading.take(settings.healthPort, flags['healthPort']),
    keepOpen: await reading.take(settings.keepOpen, flags['keepOpen']),
  })
}

/** Whether the user asked for no colour (no-color.org). */
export function noColour(environment: Environment = ownEnvironment): boolean {
  return (environment['NO_COLOR'] ?? '') !== ''
}

export interface Pager {
  /** For the shell. */
  readonly command: string
  readonly environment: Environment
}

/** The pager that the user chose, as git takes it; null: none. `less` gets the options that git gives it. */
export function pagerOf(environment: Environment = ownEnvironment): Pager | null {
  const command = environment['HEADCOUNT_PAGER'] ?? environment['PAGER'] ?? ''
  if (command === '' || command === 'cat') return null
  return { command, environment: { LESS: 'FRSX', ...environment } }
}

/** The language of numbers, as `de-DE`, from LC_ALL, LC_NUMERIC or LANG; `en-US` where none is set. */
export function languageOfNumbers(environment: Environment = ownEnvironment): string {
  const name = environment['LC_ALL'] || environment['LC_NUMERIC'] || environment['LANG'] || ''
  const language = name.replace(/[.@].*$/, '').replace('_', '-')
  try {
    return new Intl.NumberFormat(language).resolvedOptions().locale
  } catch {
    return 'en-US'
  }
}

/** Whether failures should show where in the code they came from; known before the settings are read. */
export function wantsStacks(environment: Environment = ownEnvironment): boolean {
  return environment[settings.logLevel.variable] === 'debug'
}
