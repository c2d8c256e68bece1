/** Checks the options of a program in JavaScript, which no type checks. */
import { isDate } from 'node:util/types'
import { UsageError } from '../errors.ts'
import { didYouMean } from '../text/did-you-mean.ts'

interface Kind {
  readonly what: string
  readonly fits: (value: unknown) => boolean
  /** null stands for an option that is not given. */
  readonly mayBeNull?: true
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Of an object with methods, as another copy of its library makes it. */
function has(...methods: readonly string[]) {
  return (value: unknown) =>
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

/** A Client of pg has the same methods, but one connection. */
function isPool(value: unknown): boolean {
  return has('connect', 'on')(value) && typeof Reflect.get(Object(value), 'options') === 'object'
}

function oneOf(...kinds: readonly Kind[]): Kind {
  return {
    what: kinds.map(({ what }) => what).join(' or '),
    fits: (value) => kinds.some(({ fits }) => fits(value)),
  }
}

const text: Kind = { what: 'a string', fits: isText }
const textOrNull: Kind = { ...text, mayBeNull: true }
const texts: Kind = {
  what: 'an array of strings',
  fits: (value) => Array.isArray(value) && value.every(isText),
}
const number: Kind = { what: 'a number', fits: (value) => typeof value === 'number' }
const flag: Kind = { what: 'true or false', fits: (value) => typeof value === 'boolean' }
const callback: Kind = { what: 'a function', fits: (value) => typeof value === 'function' }
const signal: Kind = { what: 'an AbortSignal', fits: has('addEventListener', 'throwIfAborted') }
const object: Kind = { what: 'an object', fits: (value) => typeof value === 'object' && value !== null }
const instant = oneOf({ what: 'a Date', fits: isDate }, text)
const unchecked: Kind = { what: 'anything', fits: () => true }

/** What each option of the library is; an option means the same in every call. */
const optionKinds = {
  account: textOrNull,
  accounts: texts,
  acceptDeletions: flag,
  adopt: flag,
  all: flag,
  allowHttp: flag,
  always: flag,
  apiKey: text,
  apply: flag,
  applyToHistory: flag,
  baseUrl: text,
  batchRows: number,
  changes: number,
  chunkBytes: number,
  closeTimeoutMs: number,
  concurrency: number,
  connections: number,
  createAccount: oneOf(flag, text),
  currentUrl: callback,
  database: text,
  dryRun: oneOf(flag, object),
  email: text,
  event: textOrNull,
  events: texts,
  expiresAt: instant,
  file: text,
  force: flag,
  forgetAfterMs: number,
  format: text,
  historyBefore: instant,
  holdForMs: number,
  host: object,
  id: number,
  inMemoryBytes: number,
  keptBytes: number,
  label: text,
  leaveOut: texts,
  limit: number,
  logger: { what: 'a logger with debug, info, warn and error', fits: has('debug', 'info', 'warn', 'error') },
  mailFrom: text,
  maxAgeMs: number,
  maxBodyBytes: number,
  maxStalenessMs: number,
  meaning: text,
  mountPath: text,
  name: text,
  newName: text,
  onAlive: callback,
  onError: callback,
  onFolderInUse: unchecked,
  onProgress: callback,
  onRequest: callback,
  onRows: callback,
  onSuspend: callback,
  onTurn: callback,
  open: callback,
  opened: object,
  out: text,
  outage: object,
  personKey: text,
  pglite: { what: 'a PGlite', fits: has('query', 'transaction') },
  proxy: text,
  pool: { what: 'a Pool of pg', fits: isPool },
  pseudonymise: texts,
  random: callback,
  replaceKey: flag,
  requestTimeoutMs: number,
  requestsPerHost: number,
  restart: flag,
  revoke: flag,
  role: text,
  run: number,
  runTimeoutMs: number,
  runs: number,
  safeCsv: flag,
  sample: number,
  sha256: texts,
  signal,
  since: oneOf(number, instant),
  slot: text,
  smtpUrl: text,
  sql: text,
  suppressions: object,
  thorough: flag,
  timeZone: text,
  timeoutMs: number,
  to: oneOf(text, texts),
  turn: object,
  vacuum: flag,
  value: text,
  view: text,
  views: texts,
  wanted: number,
  which: text,
  who: text,
  withPersonal: flag,
  withoutPersonal: flag,
} as const satisfies Readonly<Record<string, Kind>>

type OptionName = keyof typeof optionKinds

/** Of this program itself: no message offers them. */
const INTERNAL: readonly string[] = [
  'currentUrl',
  'host',
  'onFolderInUse',
  'open',
  'opened',
  'outage',
  'turn',
] satisfies OptionName[]
const offered = Object.keys(optionKinds).filter((name) => !INTERNAL.includes(name))

/** An option that is not in the table cannot be called for. */
type Checked<Options> = { readonly [Name in keyof Options]: Name extends OptionName ? unknown : never }

/**
 * @param required the options that the call cannot do without
 * @throws UsageError naming the option, also one that no call has; a message never has its value, which may be a secret
 */
export function checkOptions<Options extends Checked<Options>>(
  options: Options,
  ...required: readonly (keyof Options & OptionName)[]
): void {
  const given: unknown = options
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`The options must be an object, not ${nameOf(given)}.`)
  // Options of another call may be there: programs spread what several calls share.
  const unknown = Object.entries(given).find(
    ([name, value]) => value !== undefined && !Object.hasOwn(optionKinds, name),
  )
  // guard: options that do not exist
  if (unknown !== undefined)
    throw new UsageError(`There is no option \`${unknown[0]}\`${didYouMean(unknown[0], offered)}.`)
  for (const [name, { what, fits, mayBeNull }] of Object.entries<Kind>(optionKinds)) {
    const value: unknown = Reflect.get(given, name)
    if (holdsNul(value)) throw new UsageError(`The option \`${name}\` must not contain the character U+0000.`)
    const isNeeded = required.some((one) => one === name)
    const isMissing = value === undefined || (value === null && mayBeNull === true)
    if (isMissing ? isNeeded : !fits(value))
      throw new UsageError(`The option \`${name}\` must be ${what}, not ${nameOf(value)}.`)
  }
}

/** No text of Postgres, no path and no header can hold it: what comes from an address of a program's own, as `%00`, would look like a fault of the database. */
function holdsNul(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(holdsNul)
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  return Array.isArray(value) ? 'an array' : 'an object'
}
