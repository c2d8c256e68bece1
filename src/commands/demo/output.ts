import type { QueryResult } from '../../db/transaction.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { drawTable, type TableColumn } from '../output/format/table.ts'
import type { Output, Style } from '../terminal/terminal.ts'

/** Columns that the demo takes where there is no terminal, and the bounds on one. */
const DEFAULT_WIDTH = 80
const MIN_WIDTH = 60
const MAX_WIDTH = 100

const INDENT = '   '

/** A row of the mirror by its columns; every number and every time stamp is exact text. */
export type Row = Readonly<Record<string, string>>

/** Sends one statement to the mirror. */
export type Query = (statement: string) => Promise<readonly Row[]>

/** What the demo writes: blocks of text below headings, each indented and followed by an empty line. */
export interface DemoOutput {
  /** Columns that a block may take, without the indent. */
  readonly width: number
  style(format: Style, text: string): string
  heading(text: string): Promise<void>
  block(text: string): Promise<void>
  table(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): Promise<void>
  /** A heading inside a part; what belongs to it follows at once. */
  question(text: string): Promise<void>
  /** A statement, for whoever wants to know where the answer comes from. */
  sql(statement: string): Promise<void>
}

export function openDemoOutput(out: Output): DemoOutput {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, out.width ?? DEFAULT_WIDTH)) - INDENT.length
  const block = (text: string) => out.write(`${text.trimEnd().replace(/^(?=.)/gm, INDENT)}\n\n`)
  const styleHeading = (text: string) => out.style('dim', text)
  return {
    width,
    style: (format, text) => out.style(format, text),
    heading: (text) => out.write(`${out.style('bold', text)}\n\n`),
    block,
    table: (columns, rows) => block(drawTable(columns, rows, { width, styleHeading })),
    question: (text) => out.write(`${INDENT}${out.style('bold', out.style('cyan', text))}\n`),
    sql: (statement) => block(statement.replace(/^.*$/gm, (line) => out.style('dim', `│ ${line}`))),
  }
}

/** Columns that are NULL, or neither text nor number, are left out of their row. */
export function rowsOf({ columns, rows }: QueryResult): readonly Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap(({ name }, at) => {
        const value = row[at]
        return typeof value === 'string' || typeof value === 'number'
          ? [[name, stripControlCharsInLine(String(value))]]
          : []
      }),
    ),
  )
}
