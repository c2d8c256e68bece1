/** What a cell of a spreadsheet can hold of a value, and what it cannot. */

/** Characters (UTF-16 code units) of a cell at most. Excel calls a file with a longer one damaged. */
const MAX_CELL = 32_767
/** Digits that a number in a cell keeps. */
const MAX_DIGITS = 15

/** Days from the first day of Excel's calendar to 1970. */
const EPOCH_DAY = 25_569
/** Excel takes 1900 for a leap year: before March of that year its days are wrong; after 9999 it has none. */
const FIRST_DAY = 61
const LAST_DAY = 2_958_466

/** The text, or a whole or decimal number where the cell keeps each digit of it. */
export function numberCell(digits: string): number | string {
  const significant = digits.replace(/^-?0*(?:\.0*)?|\.|(?<=\..*)0+$/g, '')
  return significant.length <= MAX_DIGITS && /^-?\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : digits
}

/** A moment on the wall clock as days of Excel's calendar; the text of one that the calendar does not have. */
export function timeCell(epochSeconds: number): number | string {
  const days = epochSeconds / 86_400 + EPOCH_DAY
  if (days >= FIRST_DAY && days < LAST_DAY) return days
  return new Date(epochSeconds * 1000).toISOString().slice(0, -5).replace('T', ' ')
}

/**
 * A text as a cell can hold it. XML has no U+FFFE and U+FFFF, and what looks like an escape of Excel (`_x0041_`, an A) is escaped.
 *
 * @param onCut called when the end was cut off
 */
export function textCell(text: string, onCut: () => void): string {
  const legal = text.replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD')
  if (legal.length > MAX_CELL) onCut()
  return legal
    .slice(0, MAX_CELL)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
}
