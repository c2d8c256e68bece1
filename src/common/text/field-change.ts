import { shorten } from './fit-text.ts'

const VALUE_COLUMNS = 30

/** `quantity 3 → 2`: what changed of one field. Slots are told as a whole. */
export function fieldChange(field: string, before: string | null, now: string | null): string {
  if (field === 'slots') return 'slots'
  return `${field} ${valueText(before)} → ${valueText(now)}`
}

/** Those that change a plan. */
const FIRST = ['rsvp', 'quantity', 'amount', 'processing_fee', 'slots']
const LAST = 'message'

/** Fields that change a plan first, a message last. */
export function inFieldOrder<Changed extends { readonly field: string }>(
  fields: readonly Changed[],
): readonly Changed[] {
  const rank = ({ field }: Changed) => {
    const at = FIRST.indexOf(field)
    return field === LAST ? FIRST.length + 1 : at < 0 ? FIRST.length : at
  }
  return fields.toSorted((one, other) => rank(one) - rank(other))
}

const verbs: Readonly<Record<string, string>> = { event_at: 'moved', title: 'renamed', location: 'relocated' }

/** What is said of an event with another time, title or location; undefined of any other field. */
export function eventVerb(field: string): string | undefined {
  return verbs[field]
}

function valueText(value: string | null): string {
  if (value === null) return '–'
  return value === '' ? '""' : shorten(value.replaceAll(/\s+/g, ' '), VALUE_COLUMNS)
}

/** A value of a document as text; null where there is none. */
export function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
