import { formatCount, formatNumber } from '../../../../src/commands/output/format/number.ts'
import { tableNames } from '../../../account/rows.ts'
import type { Differences } from '../comparison/differences.ts'
import type { RunFigures } from './figures.ts'

/** Whether rows that the service no longer sends are gone. */
export function tellDeletions({ extra }: Differences): string {
  const { responses = 0 } = extra
  if (responses > 0) return `no: ${formatCount(responses, 'response')} stayed`
  return tableNames.every((table) => extra[table] === undefined)
    ? 'yes'
    : 'yes, but not their payments and slots'
}

/** Whether each value that the service sends is there after each run; rows that should be gone are told above. */
export function tellEquality(runs: readonly (RunFigures | null | undefined)[]): string {
  const told = runs.map((run) => (run ? tellDifferences(run.differences) : []))
  const worst = told.toSorted((a, b) => b.length - a.length)[0] ?? []
  return worst.length === 0 ? 'yes' : `no: ${worst.join(', ')}`
}

function tellDifferences({ missing, values }: Differences): readonly string[] {
  return [
    ...tableNames.flatMap((table) => {
      const count = missing[table]
      return count === undefined ? [] : [`${formatNumber(count)} ${table} missing`]
    }),
    ...Object.entries(values).map(([column, count]) => `${formatNumber(count)} \`${column}\` differ`),
  ]
}
