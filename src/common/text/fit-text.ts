/** Text that fits a number of columns of a terminal; a wide character takes two. */
import { displayWidth, graphemesOf } from './display-width.ts'

/** A family of four takes 11 in two columns. Marks take no column, and may be without end: somebody may have that for a name. */
const MAX_LENGTH_PER_COLUMN = 16

/** The text in at most so many columns; an ellipsis shows what was cut. */
export function shorten(text: string, columns: number): string {
  const maxLength = columns * MAX_LENGTH_PER_COLUMN
  if (text.length <= maxLength && displayWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    used += displayWidth(grapheme)
    if (used > columns - 1 || kept.length + grapheme.length > maxLength) break
    kept += grapheme
  }
  return `${kept}…`
}

export interface WrapOptions {
  readonly width: number | null
  /** Columns before the further lines. */
  readonly hang: number
  /** Columns that are taken on the first line; as many as `hang` when not given. */
  readonly used?: number
}

/** Lines of whole words, the further ones below the first. A word that is longer than a line stays whole. */
export function wrapWords(text: string, { width, hang, used = hang }: WrapOptions): string {
  if (width === null || displayWidth(text) + used <= width) return text
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    const before = lines.length === 1 ? used : hang
    if (last === undefined || displayWidth(`${last} ${word}`) + before > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join(`\n${' '.repeat(hang)}`)
}
