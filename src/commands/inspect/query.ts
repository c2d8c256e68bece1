import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { languageOfNumbers, pagerOf } from '../../config/config.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { queryCall } from '../../mirror/calls/query.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { messageText } from '../terminal/terminal.ts'
import {
  fileDestination,
  pagedDestination,
  plainDestination,
  type Destination,
} from '../output/query/destination.ts'
import { ReaderLeft } from '../../outputs/files/reader-left.ts'
import { queryFormats, queryResultWriter, type QueryFormat } from '../output/query/result-writer.ts'
import { parseStatement } from '../../mirror/query/statement.ts'

type QueryFlags = JsonFlags & {
  readonly format?: QueryFormat
  readonly jsonNumbers?: true
  readonly safeCsv?: true
  readonly excel?: true
  /** False after `--no-header`. */
  readonly header: boolean
  readonly output?: string
  readonly timezone?: string
  readonly limit?: number
  /** Milliseconds. */
  readonly timeout: number
}

/** Answers one statement in SQL: a table on a terminal; csv for whatever else reads stdout, for it is exact. */
export const query: Command<QueryFlags> = async (context) => {
  const { flags, terminal } = context
  const output = outputOf(flags)
  const format = formatOf(context)
  refuseFlagsWithoutEffect(flags, format)
  // Checked before the mirror is opened.
  const sql = await readText(context.operands[0] ?? '')
  parseStatement(sql)
  const timeZone = flags.timezone ?? null
  const writer = queryResultWriter(format, {
    out: output === null ? terminal.out : plainFile,
    header: flags.header,
    safeCsv: flags.safeCsv ?? false,
    excel: flags.excel ? languageOfNumbers() : null,
    jsonNumbers: flags.jsonNumbers ?? false,
    timeZone,
  })
  await using destination = await destinationOf(context)
  const write = async (text: string) => {
    if (!(await destination.write(text))) throw new ReaderLeft()
  }
  try {
    const { notes, hasMore } = await callMirror(
      context,
      queryCall,
      ({ account }) => ({ sql, timeoutMs: flags.timeout, account, limit: flags.limit ?? null, timeZone }),
      (part) => write(writer.part(part)),
    )
    await write(writer.end())
    await destination.finish()
    const more = hasMore ? [`the first ${flags.limit} rows; there are more (--limit ${flags.limit})`] : []
    for (const note of [...notes, ...more]) await terminal.err.write(messageText(note))
  } catch (error) {
    if (!(error instanceof ReaderLeft)) throw error
  }
  return 0
}

/** A file gets exact values, as for any output that is no terminal. */
const plainFile = { isTerminal: false, width: null, style: (_: unknown, text: string) => text }

/** The file to write; null: stdout, as with `export --out -`. */
function outputOf({ output }: QueryFlags): string | null {
  return output === undefined || output === '-' ? null : output
}

/** What does write a file whose name promises what a query does not write. */
const otherFormats = (): Readonly<Record<string, string>> => ({
  '.xlsx': `${commandName()} export --format xlsx writes workbooks`,
  '.xls': `${commandName()} export --format xlsx writes workbooks`,
  '.parquet': `${commandName()} export --format parquet writes Parquet files`,
  '.gz': 'leave --output out, and pipe the result into gzip',
})

/** @throws UsageError for a name that promises what a query does not write */
function formatOf({ flags, terminal }: Context<QueryFlags>): QueryFormat {
  const output = outputOf(flags)
  const extension = extname(output ?? '').toLowerCase()
  const other = otherFormats()[extension]
  if (other !== undefined)
    throw new UsageError(`query: --output writes csv, json and ndjson, not ${extension}: ${other}`)
  const wanted = [
    ...(flags.json ? [['--json', 'json'] as const] : []),
    ...(flags.excel ? [['--excel', 'csv'] as const] : []),
    ...(flags.format === undefined ? [] : [[`--format ${flags.format}`, flags.format] as const]),
  ]
  const [first, second] = wanted
  if (first !== undefined && second !== undefined && first[1] !== second[1]) {
    throw new UsageError(`query: ${first[0]} and ${second[0]} contradict each other: give one of them`)
  }
  const named = queryFormats.find((format) => `.${format}` === extension)
  return first?.[1] ?? named ?? (terminal.out.isTerminal && output === null ? 'table' : 'csv')
}

/** @throws UsageError: whoever gives a flag expects something of it */
function refuseFlagsWithoutEffect(flags: QueryFlags, format: QueryFormat): void {
  const isJson = format === 'json' || format === 'ndjson'
  const faults = [
    ...(flags.safeCsv && format !== 'csv' ? ['--safe-csv is for csv'] : []),
    ...(flags.jsonNumbers && !isJson ? ['--json-numbers is for json and ndjson'] : []),
    ...(!flags.header && isJson ? ['--no-header is for table and csv'] : []),
  ]
  if (faults.length > 0) throw new UsageError(`query: ${faults.join('; ')}: the format is ${format}`)
}

async function destinationOf({
  flags,
  terminal: { out },
  signal,
}: Context<QueryFlags>): Promise<Destination> {
  const output = outputOf(flags)
  if (output !== null) return fileDestination(output, signal)
  const pager = out.isTerminal ? pagerOf() : null
  return pager === null ? plainDestination(out) : pagedDestination(out, pager)
}

async function readText(operand: string): Promise<string> {
  if (operand !== '-') return operand
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await buffer(process.stdin))
  } catch (cause) {
    throw new UsageError('query: what stdin gave is not UTF-8', { cause })
  }
}
