/** The table of all settings but the secrets (secrets.ts): where each comes from and what it means. */
import { baseAddress } from '../source/url.ts'
import * as values from '../common/parse-values.ts'
import { parseMailSender } from '../outputs/notify/mail-settings.ts'
import { schedule } from './schedule.ts'

/** One setting: where its text comes from, what it means, and what it is when nobody gives it. */
export interface Setting<Value> {
  readonly variable: string
  readonly flag?: string
  readonly read: ((text: string) => Value | Promise<Value>) & { readonly form?: values.ValueForm }
  readonly fallback?: string
  /** The fallback's value, where reading it would load what most commands do without. */
  readonly fallbackValue?: Value
  readonly example: string
  /** An empty variable is a fault, not an absent one: someone meant to fill it. */
  readonly mustNotBeEmpty?: true
  /** May differ from account to account in an accounts file, under the name that {@link fileKeyOf} gives it. */
  readonly perAccount?: true
}

export type SettingWithFallback<Value> = Setting<Value> & { readonly fallback: string }

const { duration, size, integer, oneOf, longestTimer } = values
/** The fallback shows how a value is written. */
const orElse = <Text extends string>(text: Text) => ({ fallback: text, example: text })
const yesOrNo = { read: values.yesOrNo, fallback: '0', example: '1' } as const

export const settings = {
  baseUrl: {
    variable: 'HEADCOUNT_BASE_URL',
    flag: '--base-url',
    read: baseAddress,
    example: 'https://events.example/api/v1',
    mustNotBeEmpty: true,
    perAccount: true,
  },
  allowHttp: {
    variable: 'HEADCOUNT_ALLOW_HTTP',
    flag: '--allow-http',
    ...yesOrNo,
    perAccount: true,
  },
  account: {
    variable: 'HEADCOUNT_ACCOUNT',
    flag: '--account',
    read: values.name,
    example: 'default',
  },
  accountsFile: {
    variable: 'HEADCOUNT_ACCOUNTS_FILE',
    read: values.path,
    example: 'accounts.yaml',
    mustNotBeEmpty: true,
  },
  keysDir: {
    variable: 'HEADCOUNT_KEYS_DIR',
    read: values.path,
    example: '/run/secrets/keys',
    mustNotBeEmpty: true,
  },
  newAccount: {
    variable: 'HEADCOUNT_NEW_ACCOUNT',
    flag: '--new-account',
    ...yesOrNo,
  },
  concurrency: {
    variable: 'HEADCOUNT_CONCURRENCY',
    flag: '--concurrency',
    read: integer({ min: 1, max: values.MAX_CONCURRENCY }),
    ...orElse('8'),
    perAccount: true,
  },
  runs: {
    variable: 'HEADCOUNT_RUNS',
    flag: '--runs',
    read: integer({ min: 1, max: values.MAX_CONCURRENCY }),
    ...orElse('4'),
  },
  connections: {
    variable: 'HEADCOUNT_CONNECTIONS',
    flag: '--connections',
    read: integer({ min: 3, max: values.MAX_CONNECTIONS }),
    example: '24',
  },
  requestTimeout: {
    variable: 'HEADCOUNT_REQUEST_TIMEOUT',
    flag: '--request-timeout',
    read: duration('1ms', longestTimer),
    ...orElse('60s'),
    perAccount: true,
  },
  runTimeout: {
    variable: 'HEADCOUNT_RUN_TIMEOUT',
    flag: '--run-timeout',
    read: duration('1ms', longestTimer),
    example: '30m',
    perAccount: true,
  },
  maxStaleness: {
    variable: 'HEADCOUNT_MAX_STALENESS',
    flag: '--max-staleness',
    read: duration('0s', '365d'),
    ...orElse('7d'),
    perAccount: true,
  },
  forgetAfter: {
    variable: 'HEADCOUNT_FORGET_AFTER',
    flag: '--forget-after',
    read: duration('1d', '36500d'),
    example: '365d',
    perAccount: true,
  },
  leaveOut: {
    variable: 'HEADCOUNT_LEAVE_OUT',
    read: values.words,
    fallback: '',
    example: 'responses.message,responses._extra',
    perAccount: true,
  },
  pseudonymise: {
    variable: 'HEADCOUNT_PSEUDONYMISE',
    read: values.words,
    fallback: '',
    example: 'email,name',
    perAccount: true,
  },
  holdFor: {
    variable: 'HEADCOUNT_HOLD_FOR',
    flag: '--hold-for',
    read: duration('0s', '365d'),
    ...orElse('1h'),
    perAccount: true,
  },
  maxBody: {
    variable: 'HEADCOUNT_MAX_BODY',
    flag: '--max-body',
    read: size('1KiB', '1024GiB'),
    ...orElse('1GiB'),
    perAccount: true,
  },
  schedule: {
    variable: 'HEADCOUNT_SCHEDULE',
    flag: '--schedule',
    read: schedule,
    fallback: '*/15 * * * *',
    fallbackValue: '*/15 * * * *',
    example: '"*/15 * * * *"',
    perAccount: true,
  },
  timezone: {
    variable: 'HEADCOUNT_TIMEZONE',
    flag: '--timezone',
    read: values.timeZone,
    fallback: 'UTC',
    fallbackValue: 'UTC',
    example: 'Europe/Berlin',
    perAccount: true,
  },
  healthPort: {
    variable: 'HEADCOUNT_HEALTH_PORT',
    flag: '--health-port',
    read: integer({ min: 0, max: 65_535 }),
    example: '8081',
  },
  healthHost: {
    variable: 'HEADCOUNT_HEALTH_HOST',
    flag: '--health-host',
    read: values.host,
    fallback: '127.0.0.1',
    example: '0.0.0.0',
  },
  keepOpen: {
    variable: 'HEADCOUNT_KEEP_OPEN',
    flag: '--keep-open',
    ...yesOrNo,
  },
  queue: {
    variable: 'HEADCOUNT_QUEUE',
    flag: '--queue',
    ...yesOrNo,
  },
  runsPerHost: {
    variable: 'HEADCOUNT_RUNS_PER_HOST',
    flag: '--runs-per-host',
    read: integer({ min: 1, max: 1000 }),
    ...orElse('4'),
  },
  serveHost: {
    variable: 'HEADCOUNT_SERVE_HOST',
    flag: '--host',
    read: values.host,
    fallback: '127.0.0.1',
    example: '0.0.0.0',
  },
  servePort: {
    variable: 'HEADCOUNT_SERVE_PORT',
    flag: '--port',
    read: integer({ min: 0, max: 65_535 }),
    ...orElse('8080'),
  },
  publicUrl: {
    variable: 'HEADCOUNT_PUBLIC_URL',
    flag: '--public-url',
    read: values.publicUrl,
    example: 'https://events.example.org',
    mustNotBeEmpty: true,
  },
  accessLog: {
    variable: 'HEADCOUNT_ACCESS_LOG',
    flag: '--access-log',
    ...yesOrNo,
  },
  mailFrom: {
    variable: 'HEADCOUNT_MAIL_FROM',
    read: parseMailSender,
    example: 'headcount@example.org',
  },
  digestSchedule: {
    variable: 'HEADCOUNT_DIGEST_SCHEDULE',
    flag: '--digest-schedule',
    read: schedule,
    example: '"0 7 * * *"',
  },
  withPersonal: {
    variable: 'HEADCOUNT_DIGEST_WITH_PERSONAL',
    flag: '--with-personal',
    ...yesOrNo,
  },
  logLevel: {
    variable: 'HEADCOUNT_LOG_LEVEL',
    read: oneOf(['debug', 'info', 'warn', 'error']),
    ...orElse('info'),
  },
  logFormat: {
    variable: 'HEADCOUNT_LOG_FORMAT',
    read: oneOf(['pretty', 'json']),
    example: 'json',
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>

/** Of `doctor`, whose user waits for the answer. */
export const DOCTOR_REQUEST_TIMEOUT = '10s'

export type SettingName = keyof typeof settings

/** The name of a setting in an accounts file: `HEADCOUNT_MAX_STALENESS` is `max_staleness`. */
export function fileKeyOf({ variable }: Setting<unknown>): string {
  return variable.replace(/^HEADCOUNT_/, '').toLowerCase()
}

/** What may differ from account to account, by its name in an accounts file. */
export const accountSettings: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.values<Setting<unknown>>(settings)
    .filter(({ perAccount }) => perAccount)
    .map((setting) => [fileKeyOf(setting), setting]),
)

/** Every variable of ours that begins with HEADCOUNT_. */
export const variableNames: readonly string[] = [
  ...['API_KEY', 'DIGEST_TO', 'NOTIFY_TO', 'PERSON_KEY', 'SMTP_URL'].flatMap((secret) => [
    `HEADCOUNT_${secret}`,
    `HEADCOUNT_${secret}_FILE`,
  ]),
  'HEADCOUNT_PAGER',
  ...Object.values(settings).map((setting) => setting.variable),
]
