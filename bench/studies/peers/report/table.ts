import { formatCount, formatNumber } from '../../../../src/common/text/number.ts'
import { tableNames } from '../../../account/rows.ts'
import type { Differences } from '../comparison/differences.ts'
import type { Contender } from './contenders.ts'
import { failureOf, floorOf, runOf } from './figures.ts'
import type { Measured, RunFigures } from './figures.ts'
import { floorNames } from '../floors.ts'
import type { Size } from '../peers.ts'
import { runNames } from '../series.ts'

const headings = [
  'on the same service and Postgres',
  'cold s',
  '× `copy`',
  '× headcount',
  'unchanged s',
  '× `copy`',
  '× headcount',
  'CPU s',
  'peak MB',
  'WAL MB unchanged',
  'requests',
  'deletions arrive',
  'equal',
  'lines',
]

/** The floors and the peers of one size, in Markdown. */
export function drawPeers(contenders: readonly Contender[], size: Size, measured: Measured): string {
  const floors = floorNames.flatMap((name) => {
    const floor = floorOf(measured, name, size)
    if (floor === null) return []
    const cells = [seconds(floor.ms), '', '', '', '', '', seconds(floor.cpuMs), megabytes(floor.peakBytes)]
    return [row([`floor \`${name}\``, ...cells, '', formatNumber(floor.requests), '', '', ''])]
  })
  const peers = contenders
    .filter(({ peer }) => peer.sizes.includes(size))
    .map((contender) => drawPeer(contender, size, measured))
  const rule = headings.map((_, place) => (place === 0 || place === 11 || place === 12 ? '---' : '--:'))
  return [row(headings), row(rule), ...floors, ...peers].join('')
}

function drawPeer({ peer, title, lines }: Contender, size: Size, measured: Measured): string {
  const [cold, unchanged, edited] = runNames.map((run) => runOf(measured, peer.name, size, run))
  const failure = failureOf(measured, peer.name, size)
  const copy = floorOf(measured, 'copy', size)
  const times = (run: RunFigures | null | undefined, ours: RunFigures | null) => [
    run ? seconds(run.ms) : '',
    run && copy ? (run.ms / copy.ms).toFixed(2) : '',
    run && ours ? (run.ms / ours.ms).toFixed(2) : '',
  ]
  const peak = Math.max(...[cold, unchanged, edited].map((run) => run?.peakBytes ?? 0))
  return row([
    title,
    ...times(cold, runOf(measured, 'headcount', size, 'cold')),
    ...times(unchanged, runOf(measured, 'headcount', size, 'unchanged')),
    [cold, unchanged].map((run) => (run ? seconds(run.cpuMs) : '–')).join(', '),
    megabytes(peak || null),
    unchanged ? (unchanged.walBytes / 1e6).toFixed(2) : '',
    unchanged ? formatNumber(unchanged.requests) : '',
    edited ? tellDeletions(edited.differences) : '',
    failure === null ? tellEquality([cold, unchanged, edited]) : `**${oneLine(failure)}**`,
    lines === 0 ? '' : formatNumber(lines),
  ])
}

/** Whether rows that the service no longer sends are gone. */
function tellDeletions({ extra }: Differences): string {
  const { responses = 0 } = extra
  if (responses > 0) return `no: ${formatCount(responses, 'response')} stayed`
  return tableNames.every((table) => extra[table] === undefined)
    ? 'yes'
    : 'yes, but not their payments and slots'
}

/** Whether each value that the service sends is there after each run; rows that should be gone are told above. */
function tellEquality(runs: readonly (RunFigures | null | undefined)[]): string {
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

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

function megabytes(bytes: number | null): string {
  return bytes === null ? '' : formatNumber(Math.round(bytes / 1e6))
}

function oneLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.replaceAll('|', '\\|')
}
