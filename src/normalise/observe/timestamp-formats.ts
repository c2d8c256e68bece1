import type { JsonValue } from '../../common/json/exact.ts'
import type { Observation } from '../../common/schema/items.ts'
import { ObservedValues } from './observed-values.ts'

const SECONDS = 'YYYY-MM-DDTHH:MM:SS'
const Z = 0x5a

/** The forms of a field's time stamps. */
export class TimestampFormats {
  readonly #forms: ObservedValues
  readonly #lengths: number[] = []
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
    const isUtc = stored.charCodeAt(stored.length - 1) === Z
    this.addForm(isUtc ? stored.length : -stored.length)
  }

  /** Adds the form of a valid time stamp. @param length negative where it ends with an offset */
  addForm(length: number): void {
    if (length === this.#last) return
    this.#last = length
    if (this.#lengths.includes(length)) return
    this.#lengths.push(length)
    const zone = length > 0 ? 'Z' : '±HH:MM'
    const digits = Math.abs(length) - SECONDS.length - zone.length - 1
    this.#forms.add(`${SECONDS}${digits > 0 ? `.${'s'.repeat(digits)}` : ''}${zone}`)
  }

  observations(): readonly Observation[] {
    return this.#forms.observations()
  }
}

/** With `#` for each digit; words of a text that tells no time may be personal. */
function invalidFormat(value: JsonValue): string {
  if (typeof value !== 'string') return 'not a text'
  return /^[\d\s:.,/TtZz+-]+$/.test(value) ? value.replace(/\d/g, '#') : 'other text'
}
