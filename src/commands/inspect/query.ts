import { buffer } from 'node:stream/consumers'
import type { Flags } from '../../config/config.ts'
import { UsageError } from '../../common/errors.ts'
import { queryCall } from '../../mirror/calls/query.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlChars } from '../../common/strip-control-chars.ts'
import { queryResultWriter, type QueryFormat } from '../output/query-result.ts'
import { parseStatement } from '../../mirror/query/statement.ts'

type QueryFlags = Flags & {
  readonly format?: QueryFormat
  readonly json?: true
  readonly safeCsv?: true
  /** Milliseconds. */
  readonly timeout: number
}

/**
 * Answers one statement in SQL. A table for eyes; csv for whatever else reads stdout, for it loses nothing
 * where a table shortens and draws lines.
 */
export const query: Command<QueryFlags> = async (context) => {
  const { flags, terminal } = context
  if (flags.json && flags.format !== undefined && flags.format !== 'json') {
    throw new UsageError(`--json and --format ${flags.format} contradict each other: give one of them`)
  }
  const format = flags.json ? 'json' : (flags.format ?? (terminal.out.isTerminal ? 'table' : 'csv'))
  // Before the mirror is opened: what is no statement needs none.
  const sql = await readText(context.operands[0] ?? '')
  parseStatement(sql)
  const writer = queryResultWriter(format, { out: terminal.out, safeCsv: flags.safeCsv ?? false })
  const notes = await callMirror(
    context,
    queryCall,
    ({ account }) => ({ sql, timeoutMs: flags.timeout, account }),
    (part) => terminal.out.write(writer.part(part)),
  )
  await terminal.out.write(writer.end())
  for (const note of notes) await terminal.err.write(`headcount: ${stripControlChars(note)}\n`)
  return 0
}

async function readText(operand: string): Promise<string> {
  if (operand !== '-') return operand
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await buffer(process.stdin))
  } catch (cause) {
    throw new UsageError('query: what stdin gave is not UTF-8', { cause })
  }
}
