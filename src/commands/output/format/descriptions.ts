import { Help } from 'commander'
import stringWidth from 'string-width'
import { stripControlCharsInLine } from '../../../common/strip-control-chars.ts'

const INDENT = '  '
const GAP = '  '
/** Text runs no wider on a wide terminal: one reads across. */
const MAX_WIDTH = 100
/** A description is given so many columns, even where a line then is too long for the terminal. */
const MIN_TEXT_WIDTH = 24

/**
 * Aligned lines that end with a description each, which goes on below itself where the terminal ends.
 *
 * @param width columns of the terminal; null: a description stays on one line
 */
export function drawDescriptions(rows: readonly (readonly string[])[], width: number | null): string {
  const clean = rows.map((row) => row.map(stripControlCharsInLine))
  const labelCount = Math.max(0, ...rows.map((row) => row.length - 1))
  const widths = Array.from({ length: labelCount }, (_, at) =>
    Math.max(...clean.map((row) => stringWidth(row[at] ?? ''))),
  )
  const textStart = widths.reduce((sum, label) => sum + label + GAP.length, INDENT.length)
  const room = width === null ? null : Math.max(MIN_TEXT_WIDTH, Math.min(width, MAX_WIDTH) - textStart)
  return clean
    .map((row) => {
      const labels = widths.map((label, at) => padEnd(row[at] ?? '', label) + GAP).join('')
      const text = wrapText(row[labelCount] ?? '', room).replaceAll('\n', `\n${' '.repeat(textStart)}`)
      return `${(INDENT + labels + text).trimEnd()}\n`
    })
    .join('')
}

/** The text with line breaks between words, so that it fits; no line feed at its end. */
export function wrapText(text: string, width: number | null): string {
  if (width === null) return text
  const help = new Help()
  help.minWidthToWrap = MIN_TEXT_WIDTH
  return help.boxWrap(text, Math.min(width, MAX_WIDTH))
}

function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - stringWidth(text)))
}
