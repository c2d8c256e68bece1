import { WITHHELD, OTHER_VALUES } from '../../normalise/observe/safe-value.ts'
import type { AccountObservations } from '../../mirror/observations/observed-account.ts'
import type { Finding } from '../../mirror/observations/open-questions.ts'
import type { Output } from '../terminal/terminal.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { formatNumber } from './format/number.ts'
import { drawTable, right, type TableColumn } from './format/table.ts'
import { nothingMirrored } from './status.ts'

/** A terminal that is wider is not used: one reads across. */
const WIDEST = 100
const NARROW = 80
const INDENT = '  '

/** Each open point of the specification with what was seen, for people. */
export function formatObservations(accounts: readonly AccountObservations[], out: Output): string {
  if (accounts.length === 0) return nothingMirrored()
  return accounts.map((account) => formatAccount(account, out)).join('\n')
}

function formatAccount({ account, observed_since, points }: AccountObservations, out: Output): string {
  const since = observed_since === null ? 'nothing observed yet' : `observed since ${day(observed_since)}`
  const title = out.style('bold', `account ${stripControlCharsInLine(account)}`)
  const notes =
    `${INDENT}now: live rows that show it. seen: how often it came in lists that were new\n` +
    `${INDENT}or had changed; what comes again unchanged is not counted again.\n`
  return [
    `${title} (${since})\n${notes}`,
    ...points.map((point) => {
      const lead = `\n${out.style('bold', point.open)}\n${wrap(point.handling)}`
      return (
        lead +
        (point.findings.length === 0
          ? `${INDENT}(nothing seen)\n`
          : draw(point, out) + legend(point.findings))
      )
    }),
  ].join('')
}

function draw({ point, findings }: AccountObservations['points'][number], out: Output): string {
  const table = withoutEmpty(point === 'fields' ? fieldTable(findings) : findingTable(findings))
  const width = out.width === null ? null : Math.max(NARROW, Math.min(out.width, WIDEST)) - INDENT.length
  const drawn = drawTable(table.columns, table.rows, {
    width,
    styleHeading: (text) => out.style('dim', text),
  })
  return drawn.replace(/^/gm, INDENT).trimEnd() + '\n'
}

/** What stands for values that are not shown. */
function legend(findings: readonly Finding[]): string {
  const notes = [
    [WITHHELD, 'longer than 64 characters, or it may tell of a person'],
    [OTHER_VALUES, 'only the first 100 values are told apart'],
  ] as const
  const shown = notes.filter(([word]) => findings.some(({ value }) => value === word))
  return shown.map(([word, meaning]) => `${INDENT}${word}: ${meaning}.\n`).join('')
}

interface Table {
  readonly columns: readonly TableColumn[]
  readonly rows: readonly (readonly string[])[]
}

function findingTable(findings: readonly Finding[]): Table {
  return {
    columns: ['of', 'what', right('now'), right('seen'), 'first', 'last'],
    rows: findings.map((finding) => [
      stripControlCharsInLine(finding.subject),
      stripControlCharsInLine(`${labels[finding.fact] ?? ''}${finding.value}`),
      count(finding.now),
      count(finding.seen),
      day(finding.first_seen_at),
      day(finding.last_seen_at),
    ]),
  }
}

/** Without the columns that say nothing here: not every fact is counted, or can be. */
function withoutEmpty({ columns, rows }: Table): Table {
  const isKept = (_: unknown, place: number) => rows.some((row) => row[place] !== '')
  return { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) }
}

/** What stands before a value that does not speak for itself. */
const labels: Readonly<Record<string, string>> = {
  sent_as: 'sent as ',
  time_offset: 'offset ',
  unknown_field: 'field ',
  duplicate_key: 'twice: ',
  set_aside: 'set aside: ',
  smallest: 'smallest ',
  largest: 'largest ',
  status: 'status ',
  header: 'header ',
}

/** One line a field: how often it came with a value, as null and not at all, and how many live rows have none. */
function fieldTable(findings: readonly Finding[]): Table {
  const fields = Map.groupBy(findings, ({ subject }) => subject)
  return {
    columns: [
      'field',
      right('value'),
      right('null'),
      right('absent'),
      right('empty now'),
      'gone from a list',
    ],
    rows: [...fields].map(([field, ofField]) => {
      const seen = (value: string) => ofField.find((finding) => finding.value === value)?.seen ?? null
      const gone = ofField.find(({ fact }) => fact === 'gone')
      return [
        stripControlCharsInLine(field),
        ...['value', 'null', 'absent'].map((value) => count(seen(value))),
        count(ofField.find(({ fact }) => fact === 'empty')?.now ?? null),
        day(gone?.last_seen_at ?? null),
      ]
    }),
  }
}

function count(value: number | null): string {
  return value === null ? '' : formatNumber(value)
}

function day(instant: string | null): string {
  return instant?.slice(0, 10) ?? ''
}

function wrap(text: string): string {
  const lines = text.match(new RegExp(`.{1,${NARROW - INDENT.length}}(?: |$)`, 'g')) ?? [text]
  return lines.map((line) => `${INDENT}${line.trimEnd()}\n`).join('')
}
