import { escapeToBuffer } from 'hono/utils/html'
import type { Column } from '../column.ts'
import { readRows, type Row } from '../read-rows.ts'
import type { LinkBodyFormat, LinkSource } from './format.ts'
import { CONTENT_SECURITY_POLICY, STYLE } from './html-policy.ts'
import { localText } from './local-text.ts'

/** A page with one table, for people, and for Excel's data from the web. */
export const html: LinkBodyFormat = {
  contentType: 'text/html; charset=utf-8',
  headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
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
  const when = asOf === null ? 'no run has ended yet' : `as of ${asOf}`
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
