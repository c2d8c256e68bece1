/** The tables, views and functions of a mirror, for people. */
import type {
  ColumnDescription,
  FunctionDescription,
  SchemaDescription,
  TableDescription,
} from '../../mirror/query/describe-schema.ts'
import { DATA_TABLES } from '../../mirror/query/describe-schema.ts'
import { commandName } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import type { Output } from '../terminal/terminal.ts'
import { drawDescriptions, wrapText } from './format/descriptions.ts'

export function formatSchema({ tables, views, functions }: SchemaDescription, out: Output): string {
  const data = DATA_TABLES.flatMap((name) => tables.filter((table) => table.name === name))
  const sections: readonly (readonly [heading: string, objects: readonly (readonly [string, string])[]])[] = [
    ['Data of the service:', data.map(named)],
    ['Views:', views.map(named)],
    ['Functions:', functions.map((routine) => [signature(routine), firstSentence(routine.comment)])],
    ['Bookkeeping of headcount:', tables.filter((table) => !data.includes(table)).map(named)],
  ]
  const parts = sections
    .filter(([, objects]) => objects.length > 0)
    .map(([heading, objects]) => `${out.style('bold', heading)}\n${drawDescriptions(objects, out.width)}`)
  return `${parts.join('\n')}\nThe columns of one: ${commandName()} tables responses\n`
}

/** Whatever has one name: a table, a view, or a function with all its forms, which return the same columns. */
export function formatSchemaObject({ tables, views, functions }: SchemaDescription, out: Output): string {
  const [first] = functions
  const parts = [
    ...tables.flatMap((table) => [formatHead(`table ${table.name}`, table, out), formatColumns(table, out)]),
    ...views.flatMap((view) => [formatHead(`view ${view.name}`, view, out), formatColumns(view, out)]),
    ...functions.map((form) => formatHead(`function ${form.name}(${form.arguments})`, form, out)),
    first === undefined ? '' : formatColumns(first, out),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function formatHead(title: string, { comment }: Pick<TableDescription, 'comment'>, out: Output): string {
  return `${out.style('bold', stripControlCharsInLine(title))}\n${comment === null ? '' : `${wrapText(stripControlCharsInLine(comment), out.width)}\n`}`
}

function formatColumns({ columns }: Pick<TableDescription, 'columns'>, out: Output): string {
  return drawDescriptions(columns.map(columnCells), out.width)
}

function columnCells({ name, type, key, comment }: ColumnDescription): readonly string[] {
  return [name, key ? `${type} (key)` : type, comment ?? '']
}

function named({ name, comment }: TableDescription): readonly [string, string] {
  return [name, firstSentence(comment)]
}

/** With the names of the arguments alone: their types are told of one function. */
function signature({ name, arguments: list }: FunctionDescription): string {
  const names = list.split(', ').map((argument) => argument.split(' ')[0])
  return `${name}(${names.join(', ')})`
}

/** The whole comment is told of one object. */
function firstSentence(comment: string | null): string {
  return /^.*?\.(?=\s|$)/.exec(comment ?? '')?.[0] ?? comment ?? ''
}
