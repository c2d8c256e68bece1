import { html } from 'hono/html'
import { formatNumber } from '../formats.ts'
import type { Html } from './text.ts'

export type Cell = Html | string

export interface PageColumn<Row> {
  readonly head: string
  /** `number`: aligned by the digits; `bar`: beside a number, without a head of its own. */
  readonly kind: 'text' | 'title' | 'time' | 'number' | 'bar'
  readonly cell: (row: Row) => Cell
}

export interface PageTable<Row> {
  readonly id: string
  /** Says what the table shows; it stands above, where it does not scroll away. */
  readonly caption: string
  /** The cell of the first column of kind `title`, else the first cell, is the head of its row. */
  readonly columns: readonly PageColumn<Row>[]
  readonly rows: readonly Row[]
  /** What is searched for, of a table that can be sorted and searched. */
  readonly find?: string
}

/** A table that can be scrolled sideways where it does not fit. */
export function drawTable<Row>({ id, caption, columns, rows, find }: PageTable<Row>): Html {
  const titleAt = columns.findIndex(({ kind }) => kind === 'title')
  const headAt = titleAt === -1 ? 0 : titleAt
  const classOf = ({ kind }: PageColumn<Row>) => (kind === 'text' ? '' : kind)
  const heads = columns.map((column) =>
    column.head === ''
      ? html`<td class="${classOf(column)}"></td>`
      : html`<th scope="col" class="${classOf(column)}">${column.head}</th>`,
  )
  const drawCell = (row: Row) => (column: PageColumn<Row>, at: number) =>
    at === headAt
      ? html`<th scope="row" class="${classOf(column)}">${column.cell(row)}</th>`
      : html`<td class="${classOf(column)}">${column.cell(row)}</td>`
  const drawRow = (row: Row) =>
    html`<tr>
      ${columns.map(drawCell(row))}
    </tr>`
  const name = `${id}-caption`
  const isLong = find !== undefined
  return html`${find === undefined ? '' : drawSearch(find, id)}
    <p class="caption" id="${name}">${caption}</p>
    <div class="${isLong ? 'scroll tall' : 'scroll'}" role="group" aria-labelledby="${name}" tabindex="0">
      <table id="${id}" class="${isLong ? 'sortable' : ''}" aria-labelledby="${name}">
        <thead>
          <tr>
            ${heads}
          </tr>
        </thead>
        <tbody>
          ${rows.map(drawRow)}
        </tbody>
      </table>
    </div>`
}

/** Shown where a script runs. */
function drawSearch(find: string, id: string): Html {
  return html`<p class="search" data-table="${id}" hidden>
    <label>${find} <input type="search" autocomplete="off" spellcheck="false" /></label>
    <span class="muted" role="status"></span>
  </p>`
}

/** A bar beside its number: `part` of `whole`. */
export function drawBar(part: number, whole: number): Html {
  const width = whole > 0 ? Math.max(0, Math.min(100, (part / whole) * 100)) : 0
  return html`<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="6"></rect>
    <rect class="fill" width="${width.toFixed(1)}" height="6"></rect>
  </svg>`
}

/** A table that is folded away on a screen, below its chart; paper shows it. */
export function drawFigures<Row>(table: PageTable<Row>): Html {
  return html`<details>
    <summary>The figures as a table</summary>
    ${drawTable(table)}
  </details>`
}

/** Below a table or a list: how many it leaves out, and the command that shows all of them. */
export function andMore(total: string, shown: number, command?: string): Cell {
  const more = BigInt(total) - BigInt(shown)
  if (more <= 0n) return ''
  const how = command === undefined ? '' : html`: <code>${command}</code>`
  return html`<p class="muted">and ${formatNumber(String(more))} more${how}</p>`
}
