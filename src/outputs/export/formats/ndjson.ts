import { identifier } from '../../../db/quote.ts'
import { columnName } from '../column.ts'
import type { Format } from './format.ts'

/**
 * COPY of one column of JSON. Its CSV form quotes nothing here, for JSON has no control characters: neither a line feed nor
 * these two. Its text form would double each backslash.
 */
const FORM = String.raw`format csv, quote e'\x01', delimiter e'\x02'`

/** One JSON object a line, as `query --format ndjson` has it: bigint and numeric as text, so that no reader rounds them. */
export const ndjson: Format = {
  select: (column) => {
    const name = columnName(column)
    const alias = `as ${identifier(column.name)}`
    if (column.type === 'bigint' || column.type === 'numeric') return `${name}::text ${alias}`
    if (column.type === 'timestamp with time zone')
      return `replace(to_json(${name}) #>> '{}', '+00:00', 'Z') ${alias}`
    return name
  },
  write: async ({ trx, query }, sink) => ({
    rows: await trx.copyOutParts(`select row_to_json(line) from (${query}) line`, FORM, sink.write),
  }),
}
