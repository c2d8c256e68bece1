import { columnName, type Column } from '../column.ts'
import { inertText } from './csv.ts'

/**
 * A value as people read it, as SQL: times to the second on the clock of the account's zone, without an offset; TRUE and FALSE; lists
 * with commas; no text that a spreadsheet would run as a formula.
 */
export function localText(column: Column): string {
  const name = columnName(column)
  switch (column.type) {
    case 'text':
      return inertText(name)
    case 'boolean':
      return `upper(${name}::text)`
    case 'text[]':
      return inertText(`array_to_string(${name}, ', ')`)
    case 'timestamp with time zone':
      return `date_trunc('second', ${name} at time zone zone.name)::text`
    case 'timestamp without time zone':
      return `date_trunc('second', ${name})::text`
    default:
      return `${name}::text`
  }
}
