import { accountFlagIfNeeded, commandName } from '../../common/command-name.ts'
import type { Difference, VerifyReport } from '../../index.ts'
import type { Output } from '../terminal/terminal.ts'
import { groupedLines } from './format/grouped-lines.ts'
import { stripControlChars, stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { MISSING_ONCE } from './held-deletions.ts'
import { formatBytes, formatCount, formatNumber } from '../../common/text/number.ts'
import { asRemark } from './run-report.ts'
import { noteLine } from './format/note-line.ts'
import { drawPairs } from './format/table.ts'
import { shorten } from '../../common/text/fit-text.ts'

/** Differences, ids, errors and warnings shown to people; `--json` has more. */
const SHOWN = 50
const SHOWN_NOTES = 10
/** Of a value, on its line. */
const VALUE_COLUMNS = 60

/** One line a difference; nothing when there are none. */
export function formatDifferences({ differences, differences_total }: VerifyReport): string {
  const lines = differences.slice(0, SHOWN).map((difference) => `${formatDifference(difference)}\n`)
  const more = differences_total - lines.length
  return lines.join('') + (more > 0 ? `and ${formatCount(more, 'more difference')}: see --json\n` : '')
}

function formatDifference(difference: Difference): string {
  const { table, event_id, response_id, position, column, expected, found } = difference
  const response = response_id === null ? '' : ` ${response_id}`
  const slot = position === null ? '' : ` position ${position}`
  const place = `${table} ${stripControlCharsInLine(event_id)}${response}${slot}`
  if (difference.difference === 'missing') return `${place}: missing, the service has ${shown(expected)}`
  if (difference.difference === 'extra') return `${place}: extra, the service has no ${shown(found)}`
  return `${place}: ${column} is ${shown(found)}, the service says ${shown(expected)}`
}

function shown(value: string | null): string {
  return value === null ? 'null' : shorten(stripControlCharsInLine(value), VALUE_COLUMNS)
}

/** What `verify` did and found, for people. */
export function formatVerification(report: VerifyReport, out: Pick<Output, 'style' | 'width'>): string {
  return [
    `${headline(report, out)}\n`,
    drawPairs(out, [
      ['lists', lists(report)],
      [
        'rows',
        `${formatCount(report.events_compared, 'event')}, ${formatCount(report.responses_compared, 'response')} compared`,
      ],
      [
        'service',
        `${formatCount(report.requests, 'request')}, ${formatBytes(report.bytes_received)} received`,
      ],
    ]),
    ...notes(report, out),
  ].join('')
}

/** How a verification ended, for people. */
export const verdicts = {
  equal: ['equal', 'green'],
  partial: ['not wholly compared', 'yellow'],
  different: ['different', 'red'],
} as const

function headline(report: VerifyReport, out: Pick<Output, 'style' | 'width'>): string {
  const [word, colour] = verdicts[report.status]
  const count = report.differences_total
  const differences = count === 0 ? '' : `: ${formatCount(count, 'difference')}`
  return `verify of account ${stripControlChars(report.account)} ${out.style(colour, word)}${differences} in ${formatDuration(report.duration_ms)}`
}

function lists({ lists_chosen, lists_compared, ...report }: VerifyReport): string {
  const others = [
    [report.lists_changed.length, 'changed since the last sync'],
    [report.lists_undecided.length, 'undecided'],
    [report.lists_never_read.length, 'never read'],
    [report.errors_total, 'failed'],
  ] as const
  return [
    `${formatNumber(lists_compared)} of ${formatNumber(lists_chosen)} compared (${formatNumber(report.lists_thorough)} in SQL)`,
    ...others.flatMap(([count, what]) => (count === 0 ? [] : `${formatNumber(count)} ${what}`)),
  ].join(', ')
}

const undecided =
  'differs from the mirror; without a stored digest it is unknown whether the service or the mirror changed; the next sync compares it row by row'

function notes(report: VerifyReport, out: Pick<Output, 'style' | 'width'>): string[] {
  const told: string[] = []
  const note = (word: string, colour: 'yellow' | 'red', text: string) =>
    told.push(noteLine(out, [word, colour], text))
  const remedy = `${commandName()} backfill --restart${accountFlagIfNeeded(report.account)} corrects them; sync does not, because it skips unchanged lists`
  if (report.differences_total > 0) note('differences', 'red', remedy)
  if (report.events_changed)
    note('changed', 'yellow', 'the event list has changed since the last sync: event rows were not compared')
  if (report.events_undecided) note('undecided', 'yellow', `the event list ${undecided}`)
  noteEvents(report.lists_undecided, 'undecided', `the list of responses ${undecided}`)
  noteEvents(report.lists_changed, 'changed', 'responses changed since the last sync: not compared')
  noteEvents(report.lists_never_read, 'never read', 'no sync has read the responses yet')
  noteEvents(report.lists_failing, 'failing', 'the last sync could not read the responses')
  const counts = [
    ['held', [report.held, 'deletion'], `, no difference: see ${commandName()} status`],
    ['unconfirmed', [report.unconfirmed, 'row'], ` ${MISSING_ONCE}; no difference`],
    ['rejected', [report.rejected, 'item'], `, not compared: see ${commandName()} rejects`],
  ] as const
  for (const [word, [count, noun], what] of counts)
    if (count > 0) note(word, 'yellow', `${formatCount(count, noun)}${what}`)
  const warnings = report.warnings.map(asRemark)
  for (const line of groupedLines(warnings, warnings.length, ['warning', 'see --json']))
    note('warning', 'yellow', line)
  for (const line of groupedLines(report.errors, report.errors_total, ['error', 'see --json']))
    note('error', 'red', line)
  return told

  function noteEvents(ids: readonly string[], word: string, what: string): void {
    if (ids.length === 0) return
    const shown = ids.slice(0, SHOWN_NOTES).map(stripControlCharsInLine)
    note(word, 'yellow', `${shown.join(', ')}${ids.length > SHOWN_NOTES ? ', …' : ''}: ${what}`)
  }
}
