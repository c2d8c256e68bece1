import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { tablesCall } from '../../mirror/calls/tables.ts'
import type { SchemaDescription } from '../../mirror/query/describe-schema.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatSchema, formatSchemaObject } from '../output/tables.ts'

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
