import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Finding } from '../../mirror/observations/findings.ts'
import { observationsCall, type AccountObservations } from '../../mirror/observations/open-questions.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import type { Output } from '../terminal/terminal.ts'
import { formatNumber } from '../../common/text/number.ts'
import { drawTable, right, text } from '../output/format/table.ts'
import { nothingMirrored } from '../output/status.ts'

/** A terminal that is wider is not used: one reads across. */
const WIDEST = 100
const NARROW = 80

const COLUMNS = ['of', text('fact'), text('value'), right('now'), right('runs'), 'last']

const NOTES = `now: live rows that show it. runs: those that saw it in a list that was new or
had changed. (not kept): longer than 64 characters, or it may tell of a
person. (others): only the first 100 values are told apart.
`

export const observations: Command<JsonFlags> = async (context) => {
  const accounts = await callMirror(context, observationsCall, ({ account }) => ({ account }))
  return writeResult(context, { accounts }, (out) => formatObservations(accounts, out))
}

/** Each open point of the specification with what was seen, for people. */
function formatObservations(accounts: readonly AccountObservations[], out: Output): string {
  if (accounts.length === 0) return nothingMirrored()
  return accounts.map((account) => formatAccount(account, out)).join('\n')
}

function formatAccount({ account, observed_since, points }: AccountObservations, out: Output): string {
  const since = observed_since === null ? 'nothing observed yet' : `observed since ${day(observed_since)}`
  const title = `${out.style('bold', `account ${stripControlCharsInLine(account)}`)} (${since})\n`
  const width = out.width === null ? null : Math.max(NARROW, Math.min(out.width, WIDEST))
  const styleHeading = (text: string) => out.style('dim', text)
  const sections = points.map(({ open, handling, findings }) => {
    const lead = `\n${out.style('bold', open)}\n${handling.replace(/(.{1,79})(?: |$)/g, '$1\n')}`
    const isEmpty = findings.length === 0
    return (
      lead + (isEmpty ? '(nothing seen)\n' : drawTable(COLUMNS, rowsOf(findings), { width, styleHeading }))
    )
  })
  return [title, NOTES, ...sections].join('')
}

/** A line for each finding that rows are counted of; the others of one kind are one line. */
function rowsOf(findings: readonly Finding[]): string[][] {
  const lines = Map.groupBy(findings, ({ subject, fact, value, now }) =>
    JSON.stringify([subject, fact, now === null ? null : value]),
  )
  return [...lines.values()].map((line) => {
    const { subject = '', fact = '', now = null } = line[0] ?? {}
    const values = line.map(({ value }) => value).join(', ')
    const runs = Math.max(...line.map(({ seen }) => seen ?? 0))
    const last = line.flatMap(({ last_seen_at }) => last_seen_at ?? []).toSorted()
    return [
      stripControlCharsInLine(subject),
      fact.replaceAll('_', ' '),
      stripControlCharsInLine(values),
      now === null ? '' : formatNumber(now),
      runs === 0 ? '' : formatNumber(runs),
      day(last.at(-1) ?? ''),
    ]
  })
}

function day(instant: string): string {
  return instant.slice(0, 10)
}
