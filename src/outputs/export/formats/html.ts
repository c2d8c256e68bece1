import { escapeToBuffer } from 'hono/utils/html'
import type { Column } from '../column.ts'
import { readRows, type Row } from '../read-rows.ts'
import type { LinkBodyFormat, LinkSource } from './format.ts'
import { localText } from './local-text.ts'
import { headerPolicy } from '../html-page.ts'

/** The style of a page, light and dark, for telephones too. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dcdfe1, #3a4046); --head: light-dark(#f2f3f1, #1e2327); }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1d2327, #e4e6e8);
  background: light-dark(#fdfdfb, #15181b); }
h1 { margin: 0; font-size: 1.3rem; }
p { margin: 0.2rem 0 1rem; color: light-dark(#56616a, #a3adb5); font-size: 0.9rem; }
div { overflow-x: auto; }
table { width: max-content; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; max-width: 24rem; }
th { background: var(--head); white-space: nowrap; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.time { white-space: nowrap; }
`.trim()

/** A page with one table, for people, and for Excel's data from the web. */
export const html: LinkBodyFormat = {
  contentType: 'text/html; charset=utf-8',
  headers: { 'Content-Security-Policy': headerPolicy({ style: STYLE }) },
  select: localText,
  parts: async function* (source) {
    const { ask, query, columns } = source
    // The head of the page says whose rows they are.
    const shown = [...columns.keys()].filter((at) => !/^account(?:_id)?$/.test(columns[at]?.name ?? ''))
    yield head(source)
    yield `<tr>${shown.map((at) => `<th scope="col">${escaped(columns[at]?.name ?? '')}</th>`).join('')}</tr>\n</thead>\n<tbody>\n`
    const rowText = rowWriter(columns, shown)
    let count = 0
    for await (const rows of readRows(ask, query)) {
      count += rows.length
      yield rows.map(rowText).join('')
    }
    yield '</tbody>\n</table>\n</div>\n'
    yield count === 0 ? '<p>There are no rows.</p>\n</body>\n</html>\n' : '</body>\n</html>\n'
  },
}

/** Nothing in the text is markup. */
function escaped(text: string): string {
  const buffer: [string] = ['']
  // guard: markup in a page
  escapeToBuffer(text, buffer)
  return buffer[0]
}

function head({ name, account, event, asOf }: LinkSource): string {
  const title = name.replaceAll('_', ' ')
  const of = [`account ${account.name}`, ...(event === null ? [] : [`event ${event}`])].join(', ')
  const when = asOf === null ? 'no run has read the whole account yet' : `as of ${asOf}`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex, nofollow">',
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(`${of}, ${when}`)}</p>`,
    '<div>',
    '<table>',
    '<thead>',
    '',
  ].join('\n')
}

const numbers = ['integer', 'bigint', 'numeric']

function rowWriter(columns: readonly Column[], shown: readonly number[]): (row: Row) => string {
  const opening = columns.map(({ type }) => {
    if (numbers.includes(type)) return '<td class="number">'
    return type === 'date' || type.startsWith('timestamp') ? '<td class="time">' : '<td>'
  })
  const cell = (value: unknown, at: number) =>
    `${opening[at]}${typeof value === 'string' ? escaped(value) : ''}</td>`
  return (row) => `<tr>${shown.map((at) => cell(row[at], at)).join('')}</tr>\n`
}
