import { Option, type Command } from 'commander'
import { settings, type Setting } from '../../../config/settings.ts'
import { InvalidValueError } from '../../../common/parse-values.ts'
import { UsageError } from '../../../common/errors.ts'

/** The flag of a setting, its help ending with the variable and the default. */
function settingOption(setting: Setting<unknown>, value: string, description: string): Option {
  const fallback = setting.fallback === undefined || value === '' ? '' : `, default ${setting.fallback}`
  return new Option(`${setting.flag} ${value}`.trimEnd(), `${description} (${setting.variable}${fallback})`)
}

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

export function databaseOption(command: Command, fallback = 'default pglite:./headcount-data'): void {
  command.option('--database <url>', `postgres://… or pglite:<folder> (DATABASE_URL, ${fallback})`)
}

export function accountOption(command: Command, description: string): void {
  command.addOption(settingOption(settings.account, '<name>', description))
}

/** Of a command that runs, beside the name of its account. */
export function newAccountOption(command: Command): void {
  command.addOption(
    settingOption(
      settings.newAccount,
      '',
      'for the first run of a further account in a mirror that has others',
    ),
  )
}

export function serviceOptions(command: Command): void {
  command
    .addOption(settingOption(settings.baseUrl, '<url>', 'address of the service'))
    .addOption(settingOption(settings.allowHttp, '', 'allow plain http to another machine'))
}

/** How a run writes, besides how it reads. */
export function runOptions(command: Command): void {
  readOptions(command)
  holdForOption(command)
}

export function holdForOption(command: Command): void {
  command.addOption(
    settingOption(settings.holdFor, '<time>', 'how long deletions that look like an outage are held'),
  )
}

/** How the service is read. */
export function readOptions(command: Command): void {
  command
    .addOption(settingOption(settings.concurrency, '<n>', 'most requests at once, 1 to 256'))
    .addOption(
      settingOption(settings.requestTimeout, '<time>', 'deadline of one request; large bodies get more'),
    )
    .addOption(settingOption(settings.runTimeout, '<time>', 'deadline of the whole run'))
    .addOption(settingOption(settings.maxBody, '<size>', 'largest body that is read'))
}

export function listenOptions(command: Command): void {
  command
    .addOption(settingOption(settings.serveHost, '<host>', 'where it listens; 0.0.0.0 for everybody'))
    .addOption(settingOption(settings.servePort, '<port>', 'on which port; 0: any free one'))
}

export function scheduleOptions(command: Command): void {
  command
    .addOption(settingOption(settings.schedule, '<cron>', 'when to run, in five or six fields'))
    .addOption(settingOption(settings.timezone, '<zone>', 'whose wall clock the schedule is read off'))
    .addOption(settingOption(settings.healthPort, '<port>', 'where GET /healthz is answered, on 127.0.0.1'))
}

export function keepOpenOption(command: Command): void {
  command.addOption(
    settingOption(
      settings.keepOpen,
      '',
      'keep a pglite: folder open between runs; query, status … ask the worker',
    ),
  )
}

export function stalenessOption(command: Command): void {
  command.addOption(
    settingOption(settings.maxStaleness, '<time>', 'longest time that an old, unchanged event is not read'),
  )
}

export function eventOption(command: Command): void {
  command.option('--event <id...>', 'only these events; no other is written or removed')
}

export function jsonOption(command: Command, what: string): void {
  command.option('--json', `${what} as one JSON document on stdout`)
}

/** Of a command that shows what there is, of all accounts or of one. */
export function accountsOptions(command: Command): void {
  jsonOption(command, 'the same')
  accountOption(command, 'only this account')
  databaseOption(command)
}

export function quietOption(command: Command, what = 'a run that succeeds writes nothing'): void {
  command.option('-q, --quiet', `only warnings and errors: ${what}`)
}
