import type { Output, Style } from '../terminal/terminal.ts'

/** Columns that a page is drawn in where there is no terminal, and at least. */
const ORDINARY_WIDTH = 80
const NARROWEST = 60
const WIDEST = 100

/** The demo's way to the screen: blocks of text below headings, each indented and followed by an empty line. */
export interface DemoOutput {
  /** Columns that a block may take, without the indent. */
  readonly width: number
  style(format: Style, text: string): string
  heading(text: string): Promise<void>
  /** A heading inside a part; what belongs to it follows at once. */
  question(text: string): Promise<void>
  /** A block of lines; an empty line follows. */
  block(text: string): Promise<void>
  /** A statement, for whoever wants to know where the answer comes from. */
  sql(statement: string): Promise<void>
}

const INDENT = '   '

export function openDemoOutput(out: Output): DemoOutput {
  const columns = Math.min(WIDEST, Math.max(NARROWEST, out.width ?? ORDINARY_WIDTH))
  const block = (text: string) => out.write(`${text.trimEnd().replace(/^(?=.)/gm, INDENT)}\n\n`)
  return {
    width: columns - INDENT.length,
    style: (format, text) => out.style(format, text),
    heading: (text) => out.write(`${out.style('bold', text)}\n\n`),
    question: (text) => out.write(`${INDENT}${out.style('bold', out.style('cyan', text))}\n`),
    block,
    sql: (statement) =>
      block(
        statement
          .split('\n')
          .map((line) => out.style('dim', `│ ${line}`))
          .join('\n'),
      ),
  }
}
