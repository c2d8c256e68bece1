import { FORMULA_STARTS } from '../../../common/text/formula.ts'
import { literal } from '../../../db/quote.ts'
import { columnName, type Column } from '../column.ts'
import type { Format } from './format.ts'

const copiedAs =
  (form: string): Format['write'] =>
  async ({ trx, query }, sink) => ({ rows: await trx.copyOutParts(query, form, sink.write) })

/** CSV as COPY writes it: RFC 4180 with a line feed alone, NULL an empty field and '' `""`; times as Postgres writes them, in UTC. */
export const csv: Format = { select: columnName, write: copiedAs('format csv, header') }

/** The same, with a ' before text that a spreadsheet would run as a formula; all is quoted, for some spreadsheets begin a cell at another character than a comma. */
export const safeCsv: Format = { select: inert, write: copiedAs('format csv, header, force_quote *') }

const starts = FORMULA_STARTS.map(literal).join(', ')

function inert(column: Column): string {
  const name = columnName(column)
  return column.type === 'text' ? `${inertText(name)} as ${name.slice('v.'.length)}` : name
}

/** A text, as SQL, with a ' before it where a spreadsheet would run it as a formula. */
export function inertText(name: string): string {
  // guard: formulas in an export
  return `case when left(${name}, 1) in (${starts}) then '''' || ${name} else ${name} end`
}
