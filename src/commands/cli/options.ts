/** The flags of commands, each with its help. */
import { Option } from 'commander'
import { settings, type Setting } from '../../config/settings.ts'
import { InvalidValueError } from '../../common/parse-values.ts'
import { UsageError } from '../../common/errors.ts'
import type { NamedOption } from '../../common/option-names.ts'

/** The flag of a setting, its help ending with the variable and the default. */
function ofSetting(setting: Setting<unknown>, value: string, description: string): Option {
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

/** Flags that help shows below a heading of their own. */
export function below(heading: string, options: readonly Option[]): Option[] {
  return options.map((option) => option.helpGroup(heading))
}

export const database = (fallback = 'default pglite:./headcount-data') =>
  flag('--database <url>', `postgres://… or pglite:<folder> (DATABASE_URL, ${fallback})`)

export const account = (description: string) => ofSetting(settings.account, '<name>', description)

/** Of a command that runs, beside the name of its account. */
export const newAccount = () =>
  ofSetting(settings.newAccount, '', 'for the first run of a further account in a mirror that has others')

export const service = () => [
  ofSetting(settings.baseUrl, '<url>', 'address of the service'),
  ofSetting(settings.allowHttp, '', 'allow plain http to another machine'),
]

/** How the service is read. */
export const read = () => [
  ofSetting(settings.concurrency, '<n>', 'most requests at once, 1 to 256'),
  ofSetting(settings.requestTimeout, '<time>', 'deadline of one request; large bodies get more'),
  ofSetting(settings.runTimeout, '<time>', 'deadline of the whole run'),
  ofSetting(settings.maxBody, '<size>', 'largest body that is read'),
]

export const holdFor = () =>
  ofSetting(settings.holdFor, '<time>', 'how long deletions that look like an outage are held')

export const listen = () => [
  ofSetting(settings.serveHost, '<host>', 'where it listens; 0.0.0.0 for everybody'),
  ofSetting(settings.servePort, '<port>', 'on which port; 0: any free one'),
]

export const schedule = () => [
  ofSetting(settings.schedule, '<cron>', 'when to run, in five or six fields'),
  ofSetting(settings.timezone, '<zone>', 'whose wall clock the schedule is read off'),
  ofSetting(settings.healthPort, '<port>', 'where GET /healthz is answered, on 127.0.0.1'),
]

export const keepOpen = () =>
  ofSetting(settings.keepOpen, '', 'keep a pglite: folder open between runs; query, status … ask the worker')

export const maxStaleness = () =>
  ofSetting(settings.maxStaleness, '<time>', 'longest time that an old, unchanged event is not read')

export const json = (what: string) => flag('--json', `${what} as one JSON document on stdout`)

/** Of a command that shows what there is, of all accounts or of one. */
export const ofAccounts = () => [json('the same'), account('only this account'), database()]

export const quiet = (what = 'a run that succeeds writes nothing') =>
  flag('-q, --quiet', `only warnings and errors: ${what}`)

/** What messages call the options by here. */
export const settingNames: Readonly<Record<Exclude<NamedOption, 'apiKey'>, string>> = {
  account: settings.account.flag,
  adopt: 'sync --adopt',
  allowHttp: `${settings.allowHttp.flag} (${settings.allowHttp.variable}=1)`,
  baseUrl: `${settings.baseUrl.flag}, ${settings.baseUrl.variable}`,
  database: '--database',
  expiresAt: '--expires',
  maxBodyBytes: settings.maxBody.flag,
  requestTimeoutMs: settings.requestTimeout.flag,
  restart: '--restart',
  runTimeoutMs: settings.runTimeout.flag,
  timeoutMs: '--timeout',
}
