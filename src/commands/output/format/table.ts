import stringWidth from 'string-width'
import { stripControlCharsInLine } from '../../../common/strip-control-chars.ts'
import type { Output } from '../../terminal/terminal.ts'

/** A heading; its column is aligned to the left, or as `right` says. */
export type TableColumn = string | { readonly right: string }

/** The heading of a column of numbers. */
export function right(heading: string): TableColumn {
  return { right: heading }
}

export interface TableOptions {
  /** Columns of the terminal, to which long cells are shortened; null: nothing is shortened. */
  readonly width: number | null
  /** Without, the rows stand alone. */
  readonly header?: boolean
  readonly styleHeading?: (text: string) => string
}

const GAP = '  '
/** No column is made narrower than this to fit. */
const NARROWEST = 8
const segmenter = new Intl.Segmenter()

/**
 * A table of text: aligned by what each character takes on a terminal (wide and joined characters too), one line
 * a row, a rule below the headings. Cells must be on one line and clean. Ends with a line feed.
 */
export function drawTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  return tableWriter(columns, options)(rows)
}

/**
 * A table that is drawn part by part, the first with the headings. Its columns are as wide as the rows drawn so far want
 * them: they become wider with a later part.
 */
export function tableWriter(
  columns: readonly TableColumn[],
  { width, header = true, styleHeading = (text) => text }: TableOptions,
): (rows: readonly (readonly string[])[]) => string {
  const headings = columns.map((column) => (typeof column === 'string' ? column : column.right))
  let natural: readonly number[] | null = null
  return (rows) => {
    const isFirst = natural === null
    natural = (natural ?? headings.map((heading) => stringWidth(heading))).map((widest, at) =>
      rows.reduce((widest, row) => Math.max(widest, stringWidth(row[at] ?? '')), widest),
    )
    const widths = width === null ? natural : fit(natural, width - GAP.length * (columns.length - 1))
    const line = (cells: readonly string[]) =>
      cells.map((cell, at) =>
        pad(
          shorten(cell, widths[at] ?? 0),
          widths[at] ?? 0,
          typeof columns[at] === 'string' ? 'left' : 'right',
        ),
      )
    const head = [line(headings).map(styleHeading), widths.map((columnWidth) => '─'.repeat(columnWidth))]
    return [...(isFirst && header ? head : []), ...rows.map(line)]
      .map((cells) => `${cells.join(GAP).trimEnd()}\n`)
      .join('')
  }
}

/** Columns that a terminal needs for a table of these rows. */
export function tableWidth(headings: readonly string[], rows: readonly (readonly string[])[]): number {
  const widths = headings.map((heading, at) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[at] ?? '')), stringWidth(heading)),
  )
  return sum(widths) + GAP.length * (headings.length - 1)
}

/** One row with a field a line. A value that is longer than the line goes on below itself. */
export function drawRecord(
  names: readonly string[],
  cells: readonly string[],
  { width, styleName }: { readonly width: number; readonly styleName: (name: string) => string },
): string {
  const widest = Math.max(...names.map((name) => stringWidth(name)))
  const room = Math.max(NARROWEST, width - widest - GAP.length)
  return names
    .map((name, at) => {
      const lines = wrap(cells[at] ?? '', room)
      const blank = ' '.repeat(widest)
      return lines
        .map((text, line) => {
          const label = line === 0 ? styleName(name) + ' '.repeat(widest - stringWidth(name)) : blank
          return `${(label + GAP + text).trimEnd()}\n`
        })
        .join('')
    })
    .join('')
}

/** The text in lines of at most so many columns, broken between characters: nothing is added to it and nothing left out. */
function wrap(text: string, columns: number): readonly string[] {
  const lines = ['']
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const width = stringWidth(segment)
    if (used + width > columns) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += segment
    used += width
  }
  return lines
}

/** The table of a command that lists something: cleaned, in the width of the terminal, below bold headings. */
export function listTable(
  out: Pick<Output, 'width' | 'style'>,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string {
  return drawTable(
    columns,
    rows.map((row) => row.map(stripControlCharsInLine)),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
}

/** Takes from the widest columns until all fit, or none may become narrower. */
function fit(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  for (let excess = sum(widths) - room; excess > 0; excess = sum(widths) - room) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) break
    const next = Math.max(NARROWEST, ...widths.filter((width) => width < widest))
    const among = widths.flatMap((width, at) => (width === widest ? [at] : []))
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess / among.length)))
    for (const at of among) widths[at] = Math.max(NARROWEST, widest - step)
  }
  return widths
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0)
}

/** The text in at most so many columns; an ellipsis shows what was cut. */
export function shorten(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    used += stringWidth(segment)
    if (used > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

function pad(text: string, columns: number, align: 'left' | 'right'): string {
  const blank = ' '.repeat(Math.max(0, columns - stringWidth(text)))
  return align === 'right' ? blank + text : text + blank
}

/** `name   value` lines, aligned, without headings. */
export function drawPairs(pairs: readonly (readonly [name: string, value: string])[], indent = ''): string {
  const width = pairs.reduce((widest, [name]) => Math.max(widest, stringWidth(name)), 0)
  return pairs.map(([name, value]) => `${indent}${pad(name, width, 'left')}  ${value}\n`).join('')
}
