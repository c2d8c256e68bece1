import type { Plan, PlannedRow, TablePlan } from '../../index.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Output } from '../terminal/terminal.ts'
import { shorten, wrapWords } from '../../common/text/fit-text.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'

const MAX_LABEL_WIDTH = 40

const operations = [
  ['inserted', 'insert'],
  ['updated', 'update'],
  ['deleted', 'delete'],
  ['held', 'hold back'],
] as const

/** What a run would do, one line for each table and kind, with the first keys of each. */
export function formatPlan(plan: Plan, { width }: Pick<Output, 'width'>): string {
  const lines = Object.entries(plan).flatMap(([table, rows]) => linesOf(table, rows))
  return lines.length === 0
    ? 'no row would change\n'
    : lines.map((line) => `${wrapWords(line, { width, hang: 2 })}\n`).join('')
}

function linesOf(table: string, plan: TablePlan): string[] {
  return operations.flatMap(([operation, verb]) => {
    const count = plan.counts[operation]
    if (count === 0) return []
    const keys = plan[operation].map(keyOf)
    const more = count > keys.length ? ` and ${formatNumber(count - keys.length)} more` : ''
    const columns = operation === 'updated' ? columnsOf(plan) : ''
    return `${table}: would ${verb} ${formatCount(count, 'row')}${columns}: ${keys.join(', ')}${more}`
  })
}

/** In how many rows which column changes, the most frequent first. */
function columnsOf({ columns }: TablePlan): string {
  const counts = Object.entries(columns).toSorted(([, one], [, other]) => other - one)
  return counts.length === 0
    ? ''
    : ` (${counts.map(([column, count]) => `${column} ${formatNumber(count)}`).join(', ')})`
}

function keyOf({ event_id, response_id, position, label }: PlannedRow): string {
  const parts = [
    stripControlCharsInLine(event_id),
    response_id,
    position === undefined ? undefined : `slot ${position}`,
    label && `(${shorten(stripControlCharsInLine(label), MAX_LABEL_WIDTH)})`,
  ]
  return parts.filter((part) => part !== undefined).join(' ')
}
