/** The flags of commands, each with its help. */
import { Option } from 'commander'
import { DOCTOR_REQUEST_TIMEOUT, settings, type Setting, type SettingName } from '../../config/settings.ts'
import { integer, InvalidValueError, oneOf } from '../../common/parse-values.ts'
import { UsageError } from '../../common/errors.ts'
import type { NamedOption } from '../../common/options/option-names.ts'

type FlagHelp = readonly [value: string, description: string]

/** The flag of a setting, its help ending with the variable and the default. */
function ofSetting(setting: Setting<unknown>, [value, description]: FlagHelp): Option {
  const fallback = setting.fallback === undefined || value === '' ? '' : `, default ${setting.fallback}`
  return new Option(`${setting.flag} ${value}`.trimEnd(), `${description} (${setting.variable}${fallback})`)
}

export const flag = (flags: string, description: string) => new Option(flags, description)

/** A flag that is no setting, with its value read by `read`; `fallback` is in the written form too. */
export function checked<Value>(
  flags: string,
  description: string,
  read: (text: string) => Value,
  fallback?: string,
): Option {
  const [name] = flags.split(' ')
  const option = new Option(flags, description).argParser((text) => {
    try {
      return read(text)
    } catch (error) {
      throw error instanceof InvalidValueError ? new UsageError(`${name} ${error.message}`) : error
    }
  })
  return fallback === undefined ? option : option.default(read(fallback), fallback)
}

/** A flag that may be given several times. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser<readonly string[] | undefined>((text, before) => [
    ...(before ?? []),
    text,
  ])
}

const choices = new WeakMap<Option, readonly string[]>()

/** A flag whose value is one of a few words, which shells complete. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  const option = checked(flags, description, oneOf(words))
  choices.set(option, words)
  return option
}

/** The words that the value of a flag may be; null: any. */
export function choicesOf(option: Option): readonly string[] | null {
  return choices.get(option) ?? null
}

/** Flags that help shows below a heading of their own. */
export function below(heading: string, options: readonly Option[]): Option[] {
  return options.map((option) => option.helpGroup(heading))
}

export const database = (fallback = 'default pglite:./headcount-data') =>
  flag('--database <url>', `postgres://… or pglite:<folder> (DATABASE_URL, ${fallback})`)

export const account = (description: string) =>
  ofSetting(settings.account, ['<name>', description]).argParser<string | undefined>((text, before) => {
    if (before === undefined || before === text) return text
    throw new UsageError(`${settings.account.flag} is given with two different names: give it once`)
  })

/** The flags of settings: what stands behind each, and what it is for. */
const ofSettings = {
  accessLog: ['', 'log each request: method, path, status, bytes, time, number of the key'],
  allowHttp: ['', 'allow plain http to another machine'],
  baseUrl: ['<url>', 'address of the service'],
  concurrency: ['<n>', 'maximum number of concurrent requests, 1 to 256'],
  connections: [
    '<n>',
    'of many accounts: maximum number of connections to Postgres for runs; default three for each run',
  ],
  digestSchedule: [
    '<cron>',
    'when digests go to HEADCOUNT_DIGEST_TO, in the time zone of the schedule; default never',
  ],
  forgetAfter: [
    '<time>',
    'forget names, addresses and messages so long after the event, like 365d; default never',
  ],
  healthHost: ['<host>', 'where that port is open; there is no key, so keep it from others'],
  healthPort: ['<port>', 'answer GET /healthz and GET /metrics (Prometheus) on this port'],
  holdFor: ['<time>', 'how long deletions that look like an outage are held'],
  keepOpen: ['', 'keep a pglite: folder open between runs; query, status … go through the worker'],
  maxBody: ['<size>', 'maximum size of a response body'],
  maxStaleness: ['<time>', 'read an old, unchanged event at least this often'],
  newAccount: ['', 'allow the first run of another account in a mirror that has accounts'],
  publicUrl: ['<url>', 'address under which others reach serve, https for the web'],
  queue: ['', 'share the accounts with the workers of other machines, through a queue in Postgres'],
  requestTimeout: ['<time>', 'time limit of one request; large bodies get more'],
  runs: ['<n>', 'of many accounts: maximum number of concurrent runs'],
  runsPerHost: ['<n>', 'with --queue: the most runs at once of one service host, over all workers'],
  runTimeout: ['<time>', 'time limit of the whole run'],
  schedule: ['<cron>', 'when to run, in five or six fields, not with both a day of the month and a weekday'],
  serveHost: ['<host>', 'address to listen on; 0.0.0.0 for all interfaces'],
  servePort: ['<port>', 'port to listen on; 0 for any free one'],
  timezone: ['<zone>', 'time zone of the schedule'],
  withPersonal: ['', 'name people to web addresses, too; mail names them in any case'],
} as const satisfies Partial<Record<SettingName, FlagHelp>>

/** The flags of these settings. */
export const of = (...names: readonly (keyof typeof ofSettings)[]) =>
  names.map((name) => ofSetting(settings[name], ofSettings[name]))

export const service = () => of('baseUrl', 'allowHttp')

/** How the service is read. */
export const read = () => of('concurrency', 'requestTimeout', 'runTimeout', 'maxBody')

/** Of `doctor`, whose user waits for the answer. */
export const doctorTimeout = () =>
  ofSetting({ ...settings.requestTimeout, fallback: DOCTOR_REQUEST_TIMEOUT }, ofSettings.requestTimeout)

/** Of a command that mirrors many accounts. */
export const pool = () => of('runs', 'connections')

/** For monitors. */
export const health = () => of('healthPort', 'healthHost')

/** Of what is told by itself. */
export const digests = () => of('digestSchedule', 'withPersonal')

/** Of a command that changes the mirror. */
export const force = () =>
  flag('--force', 'write also to a mirror that was moved to another database (see move)')

export const json = (what: string) => flag('--json', `${what} as one JSON document`)

/** Beside `--json`, of a command that may be for many accounts. */
export const resultFormat = () =>
  choice('--format <name>', 'ndjson: one line of JSON for each account, as soon as it is finished', [
    'ndjson',
  ]).conflicts('json')

export const limit = (fallback: string, what = 'show at most this many') =>
  checked('--limit <n>', what, integer({ min: 1, max: 100_000 }), fallback)

/** Of a command that shows what there is, of all accounts or of one. */
export const ofAccounts = (which = 'only this account') => [
  json('print the same'),
  account(which),
  database(),
]

/** Of a command that changes something. @param which account is meant; without it the command is for none */
export const ofChange = (printed: string, which?: string) => [
  json(printed),
  ...(which === undefined ? [] : [account(which)]),
  force(),
  database(),
]

export const quiet = (what = 'no output on success') =>
  flag('-q, --quiet', `only warnings and errors: ${what}`)

/** What messages call the options by here. */
export const settingNames: Readonly<Record<Exclude<NamedOption, 'apiKey'>, string>> = {
  account: settings.account.flag,
  adopt: 'sync --adopt',
  allowHttp: `${settings.allowHttp.flag} (${settings.allowHttp.variable}=1)`,
  baseUrl: `${settings.baseUrl.flag}, ${settings.baseUrl.variable}`,
  database: '--database',
  expiresAt: '--expires',
  force: '--force',
  maxBodyBytes: settings.maxBody.flag,
  leaveOut: settings.leaveOut.variable,
  personKey: 'HEADCOUNT_PERSON_KEY_FILE',
  proxy: 'HTTPS_PROXY',
  pseudonymise: settings.pseudonymise.variable,
  requestTimeoutMs: settings.requestTimeout.flag,
  restart: '--restart',
  runTimeoutMs: settings.runTimeout.flag,
  timeoutMs: '--timeout',
}
