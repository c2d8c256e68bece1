/** What a cell of a spreadsheet can hold of a value, and what it cannot. */

/** Characters (UTF-16 code units) of a cell at most. Excel calls a file with a longer one damaged. */
const MAX_CELL = 32_767

/** Days from the first day of Excel's calendar to 1970. */
const EPOCH_DAY = 25_569
/** Excel takes 1900 for a leap year: before March of that year its days are wrong; after 9999 it has none. */
const FIRST_DAY = 61
const LAST_DAY = 2_958_466

/** Decimal digits that every double holds, and that a number in a cell keeps. */
const MAX_DIGITS = 15

/** Whether it is a whole or decimal number of which a double, and so a cell, keeps each digit. */
export function fitsDouble(text: string): boolean {
  const significant = text.replace(/^-?0*(?:\.0*)?|\.|(?<=\..*)0+$/g, '')
  return significant.length <= MAX_DIGITS && /^-?\d+(?:\.\d+)?$/.test(text)
}

/** The text, or the number where the cell keeps it. */
export function numberCell(digits: string): number | string {
  return fitsDouble(digits) ? Number(digits) : digits
}

/** A moment on the wall clock as days of Excel's calendar; the text of one that the calendar does not have. */
export function timeCell(epochSeconds: number): number | string {
  return calendarDays(epochSeconds) ?? dateText(epochSeconds, ` ${timeText(epochSeconds)}`)
}

/** The same of the first moment of a day, as a date without a time. */
export function dateCell(epochSeconds: number): number | string {
  return calendarDays(epochSeconds) ?? dateText(epochSeconds, '')
}

function calendarDays(epochSeconds: number): number | null {
  const days = epochSeconds / 86_400 + EPOCH_DAY
  return days >= FIRST_DAY && days < LAST_DAY ? days : null
}

function timeText(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(-'hh:mm:ss.000Z'.length, -'.000Z'.length)
}

/** As Postgres writes it: `10000-01-01`, and `0001-12-31 BC` of the day before the year 1. */
function dateText(epochSeconds: number, time: string): string {
  const moment = new Date(epochSeconds * 1000)
  const year = moment.getUTCFullYear()
  const shown = String(year < 1 ? 1 - year : year).padStart(4, '0')
  const day = moment.toISOString().slice(-'-mm-ddThh:mm:ss.000Z'.length, -'Thh:mm:ss.000Z'.length)
  return `${shown}${day}${time}${year < 1 ? ' BC' : ''}`
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
