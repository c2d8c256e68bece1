/**
 * The settings of the command line: flags before environment before defaults, read once into a frozen
 * {@link Config}. Every fault is collected and reported at once. Nothing else reads the environment.
 */
import { createSettingsReader, type Flags, type SettingsReader } from './reading.ts'
import { ownEnvironment, personKey, secretSource, trimmedApiKey, type Environment } from './secrets.ts'
import { readNotify, type NotifyConfig } from './read-notify.ts'
import { readRun, readWorker, type RunConfig, type WorkerConfig } from './read-run.ts'
import { readService, type ServiceSettings } from './read-service.ts'
import { settings, variableNames } from './settings.ts'
import { databaseTarget, InvalidValueError } from '../common/parse-values.ts'
import { withPsqlPassword } from './psql-password.ts'
import { unknownVariables, withoutServiceLinks } from './variable-names.ts'
import { ConfigurationError } from '../common/errors.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What every command may look at. Times in milliseconds, sizes in bytes. */
export interface Config {
  readonly logLevel: LogLevel
  /** null: nobody chose; `worker` and `serve` write json where no terminal is, all else is prose. */
  readonly logFormat: 'pretty' | 'json' | null
  /** null: nobody chose. */
  readonly account: string | null
  /** A run may make a further account in a mirror that has some. */
  readonly newAccount: boolean | 'for_new_key'
  /** The key of the suppression list; null: there is none. */
  readonly personKey: string | null
  readonly database: DatabaseConfig
  readonly run: RunConfig
  readonly pool: PoolConfig
  readonly worker: WorkerConfig
  readonly serve: ServeConfig
  readonly notify: NotifyConfig
}

/** The settings of a command that speaks to the service. */
export interface ServiceConfig extends Config {
  readonly service: ServiceSettings
}

export interface DatabaseConfig {
  /** `postgres://…` or `pglite:<dir>`. */
  readonly target: string
  /** Nobody chose it: worth a word on stderr. */
  readonly isDefault: boolean
  /** The target as `DATABASE_URL_FILE` has it now. @throws InvalidValueError */
  readonly reread?: () => string
}

/** Of a command that mirrors many accounts. */
export interface PoolConfig {
  /** How many at once. */
  readonly runs: number
  /** How many connections to Postgres at most; null: nobody said. */
  readonly connections: number | null
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

export type { Flags }

/** The embedded database of the one-shot commands when nobody names another. */
const defaultDatabase = 'pglite:./headcount-data'

/**
 * The settings of a command that needs no key.
 *
 * @throws ConfigurationError that lists every fault
 */
export async function readConfig(flags: Flags, environment: Environment = ownEnvironment): Promise<Config> {
  const reading = openOwnReader(environment, flags)
  const config = await readCommon(reading, flags)
  // Checked wherever it is set, for a faulty address is a fault of the whole setup.
  await reading.take(settings.baseUrl)
  await reading.take(settings.allowHttp)
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
  const reading = openOwnReader(environment, flags)
  const service = await readService(reading, {
    readKey: () => reading.secret('HEADCOUNT_API_KEY', trimmedApiKey, keyRemedy),
    apiKeyFrom: secretSource(environment, 'HEADCOUNT_API_KEY'),
    baseUrlRemedy: `set it (or --base-url) to the service's address, like ${settings.baseUrl.example}`,
    allowHttp: '--allow-http (HEADCOUNT_ALLOW_HTTP=1)',
  })
  const config = await readCommon(reading, flags, demands.database ? databaseRemedy : undefined)
  reading.finish()
  if (service === null) throw new ConfigurationError(reading.faults)
  return Object.freeze({ ...config, service })
}

const keyRemedy =
  'set it to the key from the API page of the service, or HEADCOUNT_API_KEY_FILE to a file that holds the key'
const databaseRemedy =
  'set it (or --database) to postgres://… or pglite:<folder>, or DATABASE_URL_FILE to a file that holds it; ' +
  'there is no default here, for a folder inside a container would be thrown away with it'

/** @throws ConfigurationError when nobody named a database */
export function requireDatabase({ database }: Pick<Config, 'database'>): void {
  if (database.isDefault) throw new ConfigurationError([`DATABASE_URL is not set: ${databaseRemedy}`])
}

/** Every fault in what is set, without asking for what is not: for a call that could not be read itself. */
export async function environmentFaults(
  environment: Environment = ownEnvironment,
): Promise<readonly string[]> {
  const reading = openOwnReader(environment, {})
  for (const setting of Object.values(settings)) await reading.take<unknown>(setting)
  reading.secret('HEADCOUNT_API_KEY', trimmedApiKey)
  reading.secret('HEADCOUNT_PERSON_KEY', personKey)
  await readNotify(reading)
  readNamedDatabase(reading, {})
  return reading.faults
}

function openOwnReader(environment: Environment, flags: Flags): SettingsReader {
  const own = withoutServiceLinks(environment)
  const reading = createSettingsReader(own, flags)
  // guard: unknown variables
  reading.faults.push(...unknownVariables(own, variableNames))
  return reading
}

async function readCommon(reading: SettingsReader, flags: Flags, databaseRemedy?: string): Promise<Config> {
  const logLevel = await reading.take(settings.logLevel)
  return Object.freeze({
    logLevel: flags['quiet'] === true && logLevel !== 'error' ? 'warn' : logLevel,
    logFormat: await reading.take(settings.logFormat),
    account: await reading.take(settings.account),
    newAccount: await reading.take(settings.newAccount),
    personKey: reading.secret('HEADCOUNT_PERSON_KEY', personKey),
    database: await readDatabase(reading, flags, databaseRemedy),
    run: await readRun(reading),
    pool: Object.freeze({
      runs: await reading.take(settings.runs),
      connections: await reading.take(settings.connections),
    }),
    worker: await readWorker(reading),
    serve: Object.freeze({
      host: await reading.take(settings.serveHost),
      port: await reading.take(settings.servePort),
      publicUrl: await reading.take(settings.publicUrl),
      accessLog: await reading.take(settings.accessLog),
    }),
    notify: await readNotify(reading),
  })
}

async function readDatabase(reading: SettingsReader, flags: Flags, remedy?: string): Promise<DatabaseConfig> {
  const named = readNamedDatabase(reading, flags, remedy)
  return Object.freeze({ ...named, target: await withPsqlPassword(named.target) })
}

function readNamedDatabase(
  reading: SettingsReader,
  { database: flag }: Flags,
  remedy?: string,
): DatabaseConfig {
  if (flag === undefined) {
    const target = reading.secret('DATABASE_URL', databaseTarget, remedy)
    const reread = target === null ? null : reading.rereadSecret('DATABASE_URL', databaseTarget)
    return {
      target: target ?? defaultDatabase,
      isDefault: target === null,
      ...(reread !== null && { reread }),
    }
  }
  try {
    return { target: databaseTarget(String(flag)), isDefault: false }
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    reading.faults.push(`--database ${error.message} (for example --database ${defaultDatabase})`)
    return { target: defaultDatabase, isDefault: true }
  }
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
export function pagerOf(): Pager | null {
  const command = ownEnvironment['HEADCOUNT_PAGER'] ?? ownEnvironment['PAGER'] ?? ''
  if (command === '' || command === 'cat') return null
  return { command, environment: { LESS: 'FRSX', ...ownEnvironment } }
}

/** The language of numbers, as `de-DE`, from LC_ALL, LC_NUMERIC or LANG; `en-US` where none is set. */
export function languageOfNumbers(): string {
  const { LC_ALL, LC_NUMERIC, LANG } = ownEnvironment
  const name = LC_ALL || LC_NUMERIC || LANG || ''
  const language = name.replace(/[.@].*$/, '').replace('_', '-')
  try {
    return new Intl.NumberFormat(language).resolvedOptions().locale
  } catch {
    return 'en-US'
  }
}

/** Whether failures should show where in the code they came from; known before the settings are read. */
export function wantsStacks(): boolean {
  return ownEnvironment[settings.logLevel.variable] === 'debug'
}
