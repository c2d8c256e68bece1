import { formatNumber } from '../../../../src/commands/output/format/number.ts'
import { failureOf, floorOf, runOf } from './figures.ts'
import type { Measured, RunFigures } from './figures.ts'
import { floorNames } from '../floors.ts'
import type { Peer, Size } from '../peer.ts'
import { runNames } from '../series.ts'
import { tellDeletions, tellEquality } from './verdict.ts'

/** A row of the table before its peer was measured. */
export interface Contender {
  readonly peer: Peer
  /** With the version, where it is a package. */
  readonly title: string
  readonly lines: number
}

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
