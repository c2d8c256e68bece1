import { shorten } from './fit-text.ts'

const VALUE_COLUMNS = 30

/** `quantity 3 → 2`: what changed of one field. Slots are told as a whole. */
export function fieldChange(field: string, before: string | null, now: string | null): string {
  if (field === 'slots') return 'slots'
  return `${field} ${valueText(before)} → ${valueText(now)}`
}

function valueText(value: string | null): string {
  if (value === null) return '–'
  return value === '' ? '""' : shorten(value.replaceAll(/\s+/g, ' '), VALUE_COLUMNS)
}
