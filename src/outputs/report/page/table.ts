import { html } from 'hono/html'
import { formatNumber } from '../formats.ts'
import type { Html } from './text.ts'

export interface PageColumn {
  readonly head: string
  /** `number`: aligned by the digits; `bar`: beside a number, without a head of its own. */
  readonly kind: 'text' | 'title' | 'time' | 'number' | 'bar'
}

export type Cell = Html | string

export interface PageTable {
  readonly id: string
  /** Says what the table shows; it stands above, where it does not scroll away. */
  readonly caption: string
  readonly columns: readonly PageColumn[]
  /** The cell of the first column of kind `title`, else the first cell, is the head of its row. */
  readonly rows: readonly (readonly Cell[])[]
  /** What is searched for, of a table that can be sorted and searched. */
  readonly find?: string
}

/** A table that can be scrolled sideways where it does not fit. */
export function drawTable({ id, caption, columns, rows, find }: PageTable): Html {
  const titleAt = columns.findIndex(({ kind }) => kind === 'title')
  const headAt = titleAt === -1 ? 0 : titleAt
  const classOf = columns.map(({ kind }) => (kind === 'text' ? '' : kind))
  const cell = (value: Cell, at: number) =>
    at === headAt
      ? html`<th scope="row" class="${classOf[at]}">${value}</th>`
      : html`<td class="${classOf[at]}">${value}</td>`
  const heads = columns.map(({ head }, at) =>
    head === ''
      ? html`<td class="${classOf[at]}"></td>`
      : html`<th scope="col" class="${classOf[at]}">${head}</th>`,
  )
  const drawRow = (row: readonly Cell[]) =>
    html`<tr>
      ${row.map(cell)}
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
export function drawFigures(table: PageTable): Html {
  return html`<details>
    <summary>The figures as a table</summary>
    ${drawTable(table)}
  </details>`
}

/** Below a table: how many rows it leaves out. */
export function andMore(total: string, shown: number): Html | string {
  const more = BigInt(total) - BigInt(shown)
  return more > 0n ? html`<p class="muted">and ${formatNumber(String(more))} more</p>` : ''
}
