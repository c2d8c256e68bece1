/** The tables, views and functions of a mirror, for people. */
import { TWIN } from '../../common/schema/personal-data.ts'
import {
  DATA_TABLES,
  tablesCall,
  type FunctionDescription,
  type SchemaDescription,
  type TableDescription,
} from '../../mirror/query/describe-schema.ts'
import { commandName } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Output } from '../terminal/terminal.ts'
import { drawPairs } from '../output/format/table.ts'
import { wrapWords } from '../../common/text/fit-text.ts'
import { UsageError } from '../../common/errors.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'

export const tables: Command<JsonFlags> = async (context) => {
  const [operand] = context.operands
  const schema = await callMirror(context, tablesCall, () => ({}))
  const found = operand === undefined ? schema : withName(schema, operand)
  return writeResult(context, found, (out) =>
    operand === undefined ? formatSchema(schema, out) : formatSchemaObject(found, out),
  )
}

/** What has this name, written as in SQL: upper and lower case alike, with or without the schema. */
function withName(schema: SchemaDescription, operand: string): SchemaDescription {
  const wanted = operand.toLowerCase().replace(/^headcount\./, '')
  const isWanted = ({ name }: { readonly name: string }) => name === wanted
  const found = {
    tables: schema.tables.filter(isWanted),
    views: schema.views.filter(isWanted),
    functions: schema.functions.filter(isWanted),
  }
  if (Object.values(found).some((objects) => objects.length > 0)) return found
  const names = Object.values(schema).flatMap((objects: SchemaDescription['views']) =>
    objects.map(({ name }) => name),
  )
  throw new UsageError(
    `The mirror has no table, view or function "${stripControlCharsInLine(operand)}"${didYouMean(wanted, names)}. All of them: ${commandName()} tables`,
  )
}

const MAX_WIDTH = 100
/** Tables that commands of the owner fill. */
const OWNER_TABLES: readonly string[] = ['rsvp_meanings', 'slot_targets']

function formatSchema({ tables, views, functions }: SchemaDescription, out: Output): string {
  const data = DATA_TABLES.flatMap((name) => tables.filter((table) => table.name === name))
  const twins = views.filter(({ name }) => TWIN.test(name))
  const settings = tables.filter(({ name }) => OWNER_TABLES.includes(name))
  const sections: readonly (readonly [heading: string, objects: readonly (readonly [string, string])[]])[] = [
    ['Data of the service:', data.map(named)],
    ['Views:', views.filter((view) => !twins.includes(view)).map(named)],
    ['Without personal data, to be shared:', twins.map(named)],
    ['Tables that you fill:', settings.map(named)],
    ['Functions:', functions.map((routine) => [signature(routine), firstSentence(routine.comment)])],
    [
      'Bookkeeping of headcount:',
      tables.filter((table) => !data.includes(table) && !settings.includes(table)).map(named),
    ],
  ]
  const parts = sections
    .filter(([, objects]) => objects.length > 0)
    .map(([heading, objects]) => `${out.style('bold', heading)}\n${drawDescribed(objects, out)}`)
  return `${parts.join('\n')}\nThe columns of one: ${commandName()} tables responses\n`
}

/** Whatever has one name: a table, a view, or a function with all its forms, which return the same columns. */
function formatSchemaObject({ tables, views, functions }: SchemaDescription, out: Output): string {
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
  const text = wrapWords(stripControlCharsInLine(comment ?? ''), { width: textWidth(out), hang: 0 })
  return `${out.style('bold', stripControlCharsInLine(title))}\n${text === '' ? '' : `${text}\n`}`
}

function formatColumns({ columns }: Pick<TableDescription, 'columns'>, out: Output): string {
  const widest = Math.max(...columns.map(({ name }) => name.length))
  return drawDescribed(
    columns.map(({ name, type, key, comment }) => [
      `${name.padEnd(widest)}  ${key ? `${type} (key)` : type}`,
      comment ?? '',
    ]),
    out,
  )
}

/** Names, each with a text beside it. */
function drawDescribed(pairs: readonly (readonly [name: string, text: string])[], out: Output): string {
  const clean = pairs.map(
    ([name, text]) => [stripControlCharsInLine(name), stripControlCharsInLine(text)] as const,
  )
  return drawPairs({ width: textWidth(out) }, clean)
}

/** Text runs no wider on a wide terminal: one reads across. */
function textWidth({ width }: Output): number | null {
  return width === null ? null : Math.min(width, MAX_WIDTH)
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
