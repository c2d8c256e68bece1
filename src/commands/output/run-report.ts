import { commandName } from '../../common/command-name.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import type { RowCounts, RunReport } from '../../index.ts'
import type { Output } from '../terminal/terminal.ts'
import { groupedLines, type Remark } from './format/grouped-lines.ts'
import { stripControlChars } from '../../common/text/strip-control-chars.ts'
import { acceptCommand, MISSING_ONCE } from './held-deletions.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { formatBytes, formatCount, formatNumber } from '../../common/text/number.ts'
import { setAsideQuery } from './status.ts'
import { noteLine } from './format/note-line.ts'
import { drawPairs, drawTable, right } from './format/table.ts'

/** The report of a run for people: what was read, what changed, what needs a decision. */
export function formatReport(report: RunReport, out: Pick<Output, 'style' | 'width'>): string {
  const { events } = report
  const counts = [
    `${formatNumber(events.listed)} listed`,
    `${formatNumber(events.due)} due`,
    `${formatNumber(events.unchanged)} unchanged`,
    `${formatNumber(events.changed)} changed`,
    `${formatNumber(events.failed)} failed`,
    ...(events.not_read === undefined ? [] : [`${formatNumber(events.not_read)} not read`]),
  ]
  return [
    `${headline(report, out)}\n`,
    drawPairs(out, [
      ['events', counts.join(', ')],
      ['service', serviceLine(report)],
      ['forgotten', forgottenLine(report)],
      ['history', historyLine(report)],
      ['rows', changedRows(report) > 0 ? null : 'nothing changed'],
    ]),
    rowsTable(report, out),
    ...attention(report, out),
  ].join('')
}

function headline(report: RunReport, out: Pick<Output, 'style'>): string {
  const colour = report.status === 'succeeded' ? 'green' : report.status === 'held' ? 'yellow' : 'red'
  const styled = (text: string) => out.style(colour, text)
  const what = `${report.mode} of account ${stripControlChars(report.account)}`
  const took = formatDuration(report.duration_ms)
  const outcome = outcomeOf(report)
  if (!report.dry_run) return `${what} ${styled(outcome)} in ${took}`
  const foretold = outcome === 'succeeded' ? styled('succeed') : `be ${styled(outcome)}`
  return `${what} would ${foretold}; nothing was written (dry run, ${took})`
}

function serviceLine(report: RunReport): string {
  const retries = report.retries > 0 ? `, ${formatCount(report.retries, 'retry', 'retries')}` : ''
  const unread = report.not_modified > 0 ? `, ${formatNumber(report.not_modified)} not modified` : ''
  return `${formatCount(report.requests, 'request')}${retries}${unread}, ${formatBytes(report.bytes_received)} received`
}

function forgottenLine({ forgotten }: RunReport): string | null {
  if (forgotten === undefined || forgotten.events === 0) return null
  const { events, responses, versions } = forgotten
  const history = versions > 0 ? ` and ${formatCount(versions, 'former version')}` : ''
  return `${formatCount(events, 'event')}: personal data of ${formatCount(responses, 'response')}${history}`
}

function historyLine({ rewritten_versions: versions }: RunReport): string | null {
  if (versions === undefined) return null
  return `${formatCount(versions, 'former version')} brought into line with what is left out`
}

export function changedRows({ rows }: RunReport): number {
  return Object.values(rows).reduce((sum, counts) => sum + total(counts), 0)
}

function rowsTable(report: RunReport, out: Pick<Output, 'style'>): string {
  if (changedRows(report) === 0) return ''
  const changed = Object.entries(report.rows).filter(([, counts]) => total(counts) > 0)
  const table = drawTable(
    ['rows', right('inserted'), right('updated'), right('deleted')],
    changed.map(([name, { inserted, updated, deleted }]) => [
      name,
      formatNumber(inserted),
      formatNumber(updated),
      formatNumber(deleted),
    ]),
    { width: null, styleHeading: (text) => out.style('dim', text) },
  )
  return table.replace(/^/gm, '  ').trimEnd() + '\n'
}

function total({ inserted, updated, deleted }: RowCounts): number {
  return inserted + updated + deleted
}

function attention(report: RunReport, out: Pick<Output, 'style' | 'width'>): string[] {
  const notes: string[] = []
  const note = (word: string, colour: 'yellow' | 'red', text: string) =>
    notes.push(noteLine(out, [word, colour], text))
  const counts = [
    [
      'held',
      [report.held, 'deletion'],
      `that may be an outage of the service: see ${commandName()} status; apply with ${acceptCommand(report.account)}`,
    ],
    ['unconfirmed', [report.unconfirmed, 'row'], MISSING_ONCE],
    ['rejected', [report.rejected, 'item'], `that cannot be stored: see ${commandName()} rejects`],
    ['set aside', [report.set_aside, 'field'], `whose value does not fit: see ${setAsideQuery()}`],
  ] as const
  for (const [word, [count, noun], what] of counts)
    if (count > 0) note(word, 'yellow', `${formatCount(count, noun)} ${what}`)
  const warnings = report.warnings.map(asRemark)
  const allWarnings = report.dry_run ? 'see --json' : `${commandName()} runs --limit 1 --json lists them`
  for (const line of groupedLines(warnings, warnings.length, ['warning', allWarnings]))
    note('warning', 'yellow', line)
  const errors = errorsOf(report)
  const total = report.errors_total - (report.errors.length - errors.length)
  const allErrors = report.dry_run ? 'see --json' : `${commandName()} status --json lists them`
  for (const line of groupedLines(errors, total, ['error', allErrors])) note('error', 'red', line)
  return notes
}

/** Without the cause that ended it: the command says that itself, last of all. */
function errorsOf({ status, errors }: RunReport): readonly Remark[] {
  const hasCause = status === 'failed' || status === 'interrupted'
  return hasCause ? errors.filter(({ event_id }) => event_id !== null) : errors
}

/** Warnings of an event begin with its id. */
export function asRemark(warning: string): Remark {
  const [, event_id = null, message = warning] = /^Event (.*?): ([^]*)$/.exec(warning) ?? []
  return { event_id, message }
}
