/**
 * The written forms of settings: each function takes the text and gives the value, or throws a
 * {@link InvalidValueError} whose message continues the name of the setting ("must be …").
 *
 * No message repeats the text where it may hold a secret (addresses, database targets).
 */
import { didYouMean } from './text/did-you-mean.ts'
import { stripControlCharsInLine } from './text/strip-control-chars.ts'

/** Text that is no value of its setting; the message says what would be one. */
export class InvalidValueError extends Error {}

/** What a value is in JSON and YAML, as a JSON schema says it. */
export interface ValueForm {
  readonly type: JsonType | readonly JsonType[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly items?: { readonly type: 'string'; readonly pattern: string }
}

type JsonType = 'string' | 'integer' | 'boolean' | 'array'

/** Gives a value for its text, and knows what the value is in JSON. */
function formed<Value>(form: ValueForm, read: (text: string) => Value) {
  return Object.assign((text: string) => read(text), { form })
}

export interface Bounds {
  readonly min: number
  readonly max: number
}

const durationUnits = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

const sizeUnits = new Map([
  ['', 1],
  ['B', 1],
  ['kB', 1000],
  ['KB', 1000],
  ['MB', 1000 ** 2],
  ['GB', 1000 ** 3],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
])

/** A timer of Node holds at most 2^31 - 1 ms; a longer one would ring at once. */
export const longestTimer = '24d'

/** `250ms`, `60s`, `15m`, `1h`, `7d` in milliseconds, between two durations in the same form. */
export function duration(min: string, max: string) {
  const { pattern, read } = withUnit(durationUnits, 'duration like 250ms, 60s, 15m, 1h or 7d', min, max)
  return formed({ type: 'string', pattern }, read)
}

/** `1GiB`, `256MiB`, `500MB`, `1024` in bytes. */
export function size(min: string, max: string) {
  const { pattern, read, bounds } = withUnit(sizeUnits, 'size like 1GiB, 256MiB, 500MB or 1024', min, max)
  return formed({ type: ['string', 'integer'], pattern, minimum: bounds.min, maximum: bounds.max }, read)
}

/** A whole number and its unit. @param what what the text must be, for messages */
function withUnit(units: ReadonlyMap<string, number>, what: string, min: string, max: string) {
  const valueOf = (text: string): number | null => {
    const parts = /^(\d{1,15})([A-Za-z]*)$/.exec(text)
    const factor = units.get(parts?.[2] ?? '')
    return parts === null || factor === undefined ? null : Number(parts[1]) * factor
  }
  const bounds = { min: valueOf(min) ?? 0, max: valueOf(max) ?? Infinity }
  const read = (text: string): number => {
    const value = valueOf(text)
    if (value === null) throw new InvalidValueError(`must be a ${what}, not ${quote(text)}`)
    if (!isWithin(value, bounds))
      throw new InvalidValueError(`must lie between ${min} and ${max}, not ${quote(text)}`)
    return value
  }
  return { pattern: `^[0-9]{1,15}(${[...units.keys()].join('|')})$`, bounds, read }
}

function isWithin(value: number, bounds: Bounds): boolean {
  return value >= bounds.min && value <= bounds.max
}

export function integer(bounds: Bounds) {
  return formed({ type: 'integer', minimum: bounds.min, maximum: bounds.max }, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (isWithin(value, bounds)) return value
    throw new InvalidValueError(
      `must be a whole number from ${bounds.min} to ${bounds.max}, not ${quote(text)}`,
    )
  })
}

export const yesOrNo = formed({ type: 'boolean' }, (text) => {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new InvalidValueError(`must be 1 or 0, not ${quote(text)}`)
})

export function oneOf<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new InvalidValueError(
      `must be one of ${choices.join(', ')}, not ${quote(text)}${didYouMean(text, choices)}`,
    )
  }
}

/** Of a name; an index entry of Postgres holds some 2,700 bytes. */
const MAX_NAME_CHARACTERS = 200

/** A name that the user chose: any text that can be seen. */
export const name = formed(
  { type: 'string', pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]+$', maxLength: MAX_NAME_CHARACTERS },
  (text) => {
    if (text.trim() === '') throw new InvalidValueError('must not be empty')
    if (/[\p{Cc}\p{Cs}]/u.test(text)) throw new InvalidValueError('must not hold control characters')
    if (Array.from(text).length <= MAX_NAME_CHARACTERS) return text
    throw new InvalidValueError(`must be at most ${MAX_NAME_CHARACTERS} characters long`)
  },
)

/** Where a file or a folder is. */
export function path(text: string): string {
  if (text.trim() === '') throw new InvalidValueError('must not be empty')
  return text
}

/** The address under which others reach `serve`: without a `/` at its end. */
export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '')
  throw new InvalidValueError(
    'must be an address like https://events.example.org, without a user, a query or a fragment',
  )
}

export function databaseTarget(text: string): string {
  if (/^postgres(ql)?:\/\/./i.test(text)) return text
  if (/^pglite:./.test(text)) return text
  if (text === 'pglite:') throw new InvalidValueError('names no folder: write pglite:<folder>')
  if (/^postgres(ql)?:\/\/$/i.test(text))
    throw new InvalidValueError('names no server: write postgres://user:password@host:5432/database')
  // Docker takes none away from the lines of --env-file.
  if (/^(["'`]).+\1$/s.test(text)) throw new InvalidValueError('stands in quotation marks: remove them')
  throw new InvalidValueError('must begin with postgres:// or pglite:')
}

/** Those that were asked for: a question takes a fifth of a millisecond, and a file may name 1,000 zones. */
const knownTimeZones = new Set<string>()

export function timeZone(text: string): string {
  if (knownTimeZones.has(text)) return text
  try {
    Intl.DateTimeFormat('en', { timeZone: text })
    knownTimeZones.add(text)
    return text
  } catch {
    throw new InvalidValueError(`must be a time zone of the IANA list like Europe/Berlin, not ${quote(text)}`)
  }
}

/** A text in a message: in quotation marks, short, on one line and without control characters. */
export function quote(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return stripControlCharsInLine(JSON.stringify(shown))
}

/** A name or an address of this machine; an IPv6 address stands without brackets. */
export function host(text: string): string {
  if (/^[0-9A-Za-z.:_%-]{1,253}$/.test(text)) return text
  throw new InvalidValueError(`must be a host name or an address like 127.0.0.1 or ::1, not ${quote(text)}`)
}

/** Of the key of the suppression list: a shorter text can be guessed, and with it every address on the list. */
export const MIN_PERSON_KEY_LENGTH = 32

/** The most requests at once, and the most runs at once. */
export const MAX_CONCURRENCY = 256

/** The most connections to a database. */
export const MAX_CONNECTIONS = 10_000

const MAX_WORDS = 100

/** Words between commas; in JSON a list of them. */
export const words = formed(
  { type: ['array', 'string'], items: { type: 'string', pattern: '^[^,]+$' }, maxItems: MAX_WORDS },
  (text): readonly string[] => {
    const found = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (found.length <= MAX_WORDS) return found
    throw new InvalidValueError(`must be at most ${MAX_WORDS} words, not ${found.length}`)
  },
)
