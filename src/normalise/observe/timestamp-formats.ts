import type { JsonValue } from '../../common/json/exact.ts'
import type { Observation } from '../../common/schema/items.ts'
import { ObservedValues } from './observed-values.ts'

const SECONDS = 'YYYY-MM-DDTHH:MM:SS'
const Z = 0x5a

/** The forms of a field's time stamps. */
export class TimestampFormats {
  readonly #forms: ObservedValues
  readonly #codes = new Set<number>()
  #last = 0

  constructor(path: string) {
    this.#forms = new ObservedValues(path, 'time_form')
  }

  /** @param stored what the column takes of it; null when it was set aside. */
  add(sent: JsonValue | undefined, stored: string | null): void {
    if (stored === null) {
      if (sent !== undefined && sent !== null) this.#forms.add(invalidFormat(sent))
      return
    }
    const code = formatCode(stored)
    if (code === this.#last) return
    this.#last = code
    if (this.#codes.has(code)) return
    this.#codes.add(code)
    const fraction = /\.\d+/.exec(stored)?.[0].replace(/\d/g, 's') ?? ''
    this.#forms.add(`${SECONDS}${fraction}${stored.endsWith('Z') ? 'Z' : '±HH:MM'}`)
  }

  observations(): readonly Observation[] {
    return this.#forms.observations()
  }
}

/** One number for the form of a valid time stamp: its length, negative where it ends with an offset. */
function formatCode(text: string): number {
  return text.charCodeAt(text.length - 1) === Z ? text.length : -text.length
}

/** With `#` for each digit; words of a text that tells no time may be personal. */
function invalidFormat(value: JsonValue): string {
  if (typeof value !== 'string') return 'not a text'
  return /^[\d\s:.,/TtZz+-]+$/.test(value) ? value.replace(/\d/g, '#') : 'other text'
}
