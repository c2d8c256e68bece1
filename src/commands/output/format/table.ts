import { displayWidth, graphemesOf } from '../../../common/text/display-width.ts'
import { shorten, wrapWords } from '../../../common/text/fit-text.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import type { Output } from '../../terminal/terminal.ts'

/** A heading: a column aligned to the left whose cells are never cut, or as `right`, `text`, `note` and `below` say. */
export type TableColumn =
  string | { readonly heading: string; readonly kind: 'right' | 'text' | 'note' | 'below' }

/** The heading of a column of numbers. */
export const right = (heading: string): TableColumn => ({ heading, kind: 'right' })

/** The heading of a column of text that no command wants back: it is shortened where the table does not fit. */
export const text = (heading: string): TableColumn => ({ heading, kind: 'text' })

/** The heading of a column of text that is shortened where the table does not fit, and goes to a line of its own where that does not help. */
export const note = (heading: string): TableColumn => ({ heading, kind: 'note' })

/** The heading of a column whose cells go to a line of their own, whole, where the table does not fit. */
export const below = (heading: string): TableColumn => ({ heading, kind: 'below' })

const headingOf = (column: TableColumn) => (typeof column === 'string' ? column : column.heading)

const kindOf = (column: TableColumn | undefined) => (typeof column === 'object' ? column.kind : 'left')

export interface TableOptions {
  /** Columns of the terminal, to which columns of text are shortened; null: nothing is shortened. */
  readonly width: number | null
  /** Without, the rows stand alone. */
  readonly header?: boolean
  readonly styleHeading?: (text: string) => string
}

const GAP = '  '
/** No column is made narrower than this to fit. */
const NARROWEST = 8

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
  const headings = columns.map(headingOf)
  let natural: readonly number[] | null = null
  return (rows) => {
    const isFirst = natural === null
    natural = widest(natural ?? headings.map((heading) => displayWidth(heading)), rows)
    const widths = width === null ? natural : fit(columns, natural, width)
    const line = (cells: readonly string[]) =>
      cells.map((cell, at) => pad(shorten(cell, widths[at] ?? 0), widths[at] ?? 0, kindOf(columns[at])))
    const head = [line(headings).map(styleHeading), widths.map((columnWidth) => '─'.repeat(columnWidth))]
    return [...(isFirst && header ? head : []), ...rows.map(line)]
      .map((cells) => `${cells.join(GAP).trimEnd()}\n`)
      .join('')
  }
}

/** Columns that a terminal needs for a table of these rows. */
export function tableWidth(headings: readonly string[], rows: readonly (readonly string[])[]): number {
  const headingWidths = headings.map((heading) => displayWidth(heading))
  return sum(widest(headingWidths, rows)) + GAP.length * (headings.length - 1)
}

/** What the widest cell of each column takes, and at least so much. */
function widest(least: readonly number[], rows: readonly (readonly string[])[]): readonly number[] {
  return least.map((width, at) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[at] ?? '')), width),
  )
}

/** One row with a field a line. A value that is longer than the line goes on below itself. */
export function drawRecord(
  names: readonly string[],
  cells: readonly string[],
  { width, styleName }: { readonly width: number; readonly styleName: (name: string) => string },
): string {
  const widest = Math.max(...names.map((name) => displayWidth(name)))
  const room = Math.max(NARROWEST, width - widest - GAP.length)
  return names
    .map((name, at) => {
      const lines = wrap(cells[at] ?? '', room)
      const blank = ' '.repeat(widest)
      return lines
        .map((text, line) => {
          const label = line === 0 ? styleName(name) + ' '.repeat(widest - displayWidth(name)) : blank
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
  for (const grapheme of graphemesOf(text)) {
    const width = displayWidth(grapheme)
    if (used + width > columns) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += grapheme
    used += width
  }
  return lines
}

/** A column of a list: its heading, and its cell in each row. */
export type ListColumn<Row> = readonly [heading: TableColumn, cell: (row: Row) => string]

/** A word that is longer than a line becomes several. */
function breakWords(text: string, columns: number): string {
  return text
    .split(' ')
    .flatMap((word) => wrap(word, columns))
    .join(' ')
}

/**
 * The table of a command that lists something: cleaned, below bold headings. A column that is false is left out. Where it does not fit the terminal even with its
 * texts shortened, the cells of `below` and `note` columns go to lines of their own; where that does not help, each field does.
 */
export function listTable<Row>(
  out: Pick<Output, 'width' | 'style'>,
  rows: readonly Row[],
  listed: readonly (ListColumn<Row> | false)[],
): string {
  const shown = listed.filter((column) => column !== false)
  const columns = shown.map(([heading]) => heading)
  const cells = rows.map((row) => shown.map(([, cell]) => stripControlCharsInLine(cell(row))))
  const { width } = out
  const styleHeading = (text: string) => out.style('bold', text)
  if (width === null || narrowest(columns, cells) <= width)
    return drawTable(columns, cells, { width, styleHeading })
  const split = columns.map((column) => ['below', 'note'].includes(kindOf(column)))
  const kept = <Cell>(row: readonly Cell[]) => row.filter((_, at) => !split[at])
  const ownLines = (row: readonly string[]) =>
    row
      .map((cell, at) => (kindOf(columns[at]) === 'note' ? breakWords(cell, width - GAP.length) : cell))
      .filter((cell, at) => split[at] && cell !== '')
      .map((cell) => `${GAP}${out.style('dim', wrapWords(cell, { width, hang: GAP.length }))}\n`)
  if (!split.includes(true) || narrowest(kept(columns), cells.map(kept)) > width)
    return drawRecords(columns.map(headingOf), cells, { width, style: out.style })
  const [heading, rule, ...lines] = drawTable(kept(columns), cells.map(kept), { width, styleHeading }).split(
    /(?<=\n)/,
  )
  return [heading, rule, ...lines.flatMap((line, at) => [line, ...ownLines(cells[at] ?? [])])].join('')
}

function narrowest(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): number {
  const shortened = rows.map((row) =>
    row.map((cell, at) => (isText(columns[at]) ? shorten(cell, NARROWEST) : cell)),
  )
  return tableWidth(columns.map(headingOf), shortened)
}

/** Rows with a field a line, each below a rule. Fields without a value are left out. */
function drawRecords(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { width, style }: { readonly width: number; readonly style: Output['style'] },
): string {
  const rule = style('dim', '─'.repeat(Math.min(width, 40)))
  return rows
    .map((row) => {
      const filled = names.flatMap((_, at) => (row[at] ? [at] : []))
      const [shown, cells] = [filled.map((at) => names[at] ?? ''), filled.map((at) => row[at] ?? '')]
      return `${rule}\n${drawRecord(shown, cells, { width, styleName: (name) => style('bold', name) })}`
    })
    .join('')
}

const isText = (column: TableColumn | undefined) => ['text', 'note'].includes(kindOf(column))

/** Takes from the widest columns of text until all columns fit, or none of them may become narrower. */
function fit(columns: readonly TableColumn[], natural: readonly number[], width: number): readonly number[] {
  const room = width - GAP.length * (columns.length - 1)
  const widths = [...natural]
  for (let excess = sum(widths) - room; excess > 0; excess = sum(widths) - room) {
    const texts = widths.filter((_, at) => isText(columns[at]))
    const widest = Math.max(0, ...texts)
    if (widest <= NARROWEST) break
    const next = Math.max(NARROWEST, ...texts.filter((width) => width < widest))
    const among = widths.flatMap((width, at) => (width === widest && isText(columns[at]) ? [at] : []))
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess / among.length)))
    for (const at of among) widths[at] = Math.max(NARROWEST, widest - step)
  }
  return widths
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0)
}

function pad(text: string, columns: number, kind: ReturnType<typeof kindOf>): string {
  const blank = ' '.repeat(Math.max(0, columns - displayWidth(text)))
  return kind === 'right' ? blank + text : text + blank
}

/** A line of `drawPairs`; null: there is none. */
export type Pair = readonly [name: string, value: string | null]

/** `name   value` lines, aligned, without headings. A value that is longer than the terminal goes on below itself. */
export function drawPairs(
  { width, indent = GAP }: { readonly width: number | null; readonly indent?: string },
  pairs: readonly Pair[],
): string {
  const shown = pairs.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
  const widest = Math.max(0, ...shown.map(({ name }) => displayWidth(name)))
  const hang = indent.length + widest + GAP.length
  const line = ({ name, value }: { readonly name: string; readonly value: string }) =>
    `${indent}${pad(name, widest, 'left')}${GAP}${wrapWords(value, { width, hang })}\n`
  return shown.map(line).join('')
}
