import type { ErasureReport, RunReport } from '../../index.ts'
import { UsageError } from '../../common/errors.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import { runsCall, type ListedRun } from '../../mirror/calls/runs.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { isOfMany } from '../answers/values.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { drawPairs, listTable, right } from '../output/format/table.ts'
import { shorten } from '../../common/text/fit-text.ts'
import { formatInstant, formatTimestamp } from '../output/format/timestamp.ts'
import { noteLine } from '../output/format/note-line.ts'
import { formatErased } from '../output/erased.ts'
import { changedRows, formatReport } from '../output/run-report.ts'
import type { Output } from '../terminal/terminal.ts'

/** Of a message: the JSON has it whole. */
const MESSAGE_COLUMNS = 200

export const runs: Command<ListFlags> = async (context) => {
  const run = readNumber(context.operands[0])
  const { limit } = context.flags
  const found = await callMirror(context, runsCall, ({ account }) => ({ account, limit, run }))
  return writeResult(context, { runs: found }, (out) => {
    if (run !== null) return found.map((one) => formatRun(one, out)).join('')
    return found.length === 0 ? 'No runs yet.\n' : formatRuns(found, out)
  })
}

function readNumber(word: string | undefined): number | null {
  if (word === undefined) return null
  if (/^\d{1,15}$/.test(word)) return Number(word)
  throw new UsageError(`runs takes the number of a run, not ${JSON.stringify(word)}`)
}

/** One run whole: when, what it did, every warning and every error. */
function formatRun(run: ListedRun, out: Output): string {
  const { report } = run
  const times = drawPairs({ width: out.width, indent: '' }, [
    [`run ${run.run_id}`, `${run.mode} of account ${stripControlCharsInLine(run.account)}, ${run.status}`],
    ['started', formatInstant(run.started_at)],
    ['finished', run.finished_at === null ? 'not yet' : formatInstant(run.finished_at)],
  ])
  if (report === null) return `${times}It left no report: it is running, or another run took over from it.\n`
  if (report.mode === 'erase') return `${times}\n${formatErased(report)}`
  const errors = report.errors.map(({ event_id, code, message }) =>
    noteLine(out, [code, 'red'], `${event_id === null ? '' : `event ${event_id}: `}${message}`),
  )
  const more = report.errors_total - report.errors.length
  return [
    times,
    '\n',
    formatReport({ ...report, warnings: [], errors: [], errors_total: 0 }, out),
    ...report.warnings.map((warning) => noteLine(out, ['warning', 'yellow'], warning)),
    ...errors,
    ...(more > 0 ? [`  and ${formatCount(more, 'error')} more that the report does not keep\n`] : []),
  ].join('')
}

function formatRuns(found: readonly ListedRun[], out: Output): string {
  const table = listTable(out, found, [
    [right('run'), ({ run_id }) => String(run_id)],
    isOfMany(found) && ['account', ({ account }) => account],
    ['mode', ({ mode }) => mode],
    [
      'status',
      ({ status, report }) => (report === null || report.mode === 'erase' ? status : outcomeOf(report)),
    ],
    ['started (UTC)', ({ started_at }) => formatTimestamp(started_at, 'minute')],
    // A run without a report is running, or another one took over.
    [right('took'), ({ report }) => (report === null ? '' : formatDuration(report.duration_ms))],
    [
      right('due'),
      ({ report }) => (report === null || report.mode === 'erase' ? '' : formatNumber(report.events.due)),
    ],
    [right('rows changed'), ({ report }) => (report === null ? '' : formatNumber(rowsOf(report)))],
  ])
  return table + troubles(found, out)
}

function rowsOf(report: RunReport | ErasureReport): number {
  if (report.mode !== 'erase') return changedRows(report)
  return report.erased.responses + report.erased.versions
}

/** Of each run that was not wholly good: what failed, is held or was rejected, and why. */
function troubles(found: readonly ListedRun[], out: Output): string {
  const pairs = found.flatMap(({ run_id, report }) => {
    const text = report === null || report.mode === 'erase' ? '' : troubleOf(report)
    return text === '' ? [] : [[`run ${run_id}`, stripControlCharsInLine(text)] as const]
  })
  return pairs.length === 0 ? '' : `\n${drawPairs({ width: out.width, indent: '' }, pairs)}`
}

function troubleOf({ events, held, rejected, errors }: RunReport): string {
  const counts = [
    events.failed === 0 ? '' : `${formatCount(events.failed, 'event')} failed`,
    held === 0 ? '' : `${formatCount(held, 'deletion')} held`,
    rejected === 0 ? '' : `${formatCount(rejected, 'item')} rejected`,
  ].filter((text) => text !== '')
  const [first] = errors
  const why = first === undefined ? [] : [shorten(first.message, MESSAGE_COLUMNS)]
  return [...(counts.length === 0 ? [] : [counts.join(', ')]), ...why].join(': ')
}
