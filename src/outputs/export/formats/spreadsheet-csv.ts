import { stringify } from 'csv-stringify/sync'
import { readRows } from '../read-rows.ts'
import type { LinkBodyFormat } from './format.ts'
import { localText } from './local-text.ts'

/** CSV as RFC 4180 has it, with values as a spreadsheet takes them: times of the account's zone, and nothing that runs as a formula. */
export const spreadsheetCsv: LinkBodyFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  select: localText,
  parts: async function* ({ ask, query, columns }) {
    // guard: line breaks in a cell
    const form = { record_delimiter: 'windows', quoted_match: /[\r\n\t;]/ } as const
    yield stringify([columns.map(({ name }) => name)], form)
    for await (const rows of readRows(ask, query)) yield stringify([...rows], form)
  },
}
