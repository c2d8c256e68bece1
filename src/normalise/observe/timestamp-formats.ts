import type { Observation } from '../../common/schema/items.ts'
import type { JsonValue } from '../../common/json/exact.ts'
import type { ValueCounts } from './counts.ts'
import { OTHER_VALUES } from './safe-value.ts'

/** Forms that no column takes, by what they lack; the rest is only known to be a text or none. */
const invalidFormats = [
  ['date only', /^\d{4}-\d\d-\d\d$/],
  ['no zone', /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/],
  ['no T between date and time', /^\d{4}-\d\d-\d\d \d\d:\d\d/],
  ['no seconds', /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?:[Zz]|[+-]\d\d:?\d\d)$/],
  ['more than six fraction digits', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7,}(?:Z|[+-]\d\d:\d\d)$/],
  ['no such date or time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/],
  ['digits only', /^\d+$/],
] as const
const OTHER_TEXT = -1 - invalidFormats.length
const NO_TEXT = OTHER_TEXT - 1

const UTC_SECONDS = 'YYYY-MM-DDTHH:MM:SSZ'
const FIRST_OFFSET = 16
const FRACTION = 4096
const BEHIND = 2048
const HOUR = 64

/** Counts the form of a time stamp: `taken` is what its column took of it, null when it was set aside. */
export function countTimestampFormat(
  forms: ValueCounts<number>,
  sent: JsonValue | undefined,
  taken: string | null,
): void {
  if (taken !== null) forms.count(formatCode(taken))
  else if (sent !== undefined && sent !== null) forms.count(invalidFormatCode(sent))
}

/** One number for the form and the offset of a time stamp that `isTimestamp` has accepted. */
function formatCode(text: string): number {
  const { length } = text
  if (length === UTC_SECONDS.length) return 0
  if (text.charCodeAt(length - 1) === 0x5a) return length - UTC_SECONDS.length
  const hours = digit(text, length - 5) * 10 + digit(text, length - 4)
  const minutes = digit(text, length - 2) * 10 + digit(text, length - 1)
  const behind = text.charCodeAt(length - 6) === 0x2d ? BEHIND : 0
  return FIRST_OFFSET + (length - 25) * FRACTION + behind + hours * HOUR + minutes
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 0x30
}

function invalidFormatCode(value: JsonValue): number {
  if (typeof value !== 'string') return NO_TEXT
  const place = invalidFormats.findIndex(([, form]) => form.test(value))
  return place < 0 ? OTHER_TEXT : -1 - place
}

/** The forms of a field's time stamps, and the offsets where there are any. */
export function timestampFormats(path: string) {
  return (entries: readonly (readonly [number | typeof OTHER_VALUES, number])[]): Observation[] =>
    entries.flatMap(([form, count]): Observation[] => {
      if (form === OTHER_VALUES || form < FIRST_OFFSET) {
        return [{ path, kind: 'time_form', value: formatName(form), count }]
      }
      const code = form - FIRST_OFFSET
      const offset = `${code & BEHIND ? '-' : '+'}${pair((code % BEHIND) / HOUR)}:${pair(code % HOUR)}`
      return [
        { path, kind: 'time_form', value: withFraction(Math.trunc(code / FRACTION), '±HH:MM'), count },
        { path, kind: 'time_offset', value: offset, count },
      ]
    })
}

function formatName(form: number | typeof OTHER_VALUES): string {
  if (form === OTHER_VALUES) return OTHER_VALUES
  if (form === NO_TEXT) return 'not a text'
  if (form < 0) return invalidFormats[-1 - form]?.[0] ?? 'other text'
  return withFraction(form, 'Z')
}

/** @param length of the fraction, its point included. */
function withFraction(length: number, zone: string): string {
  const fraction = length === 0 ? '' : `.${'s'.repeat(length - 1)}`
  return `${UTC_SECONDS.slice(0, -1)}${fraction}${zone}`
}

function pair(value: number): string {
  return String(Math.trunc(value)).padStart(2, '0')
}
