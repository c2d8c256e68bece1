import { formatNumber } from '../../src/common/text/number.ts'
import { drawPairs, drawTable, right } from '../../src/commands/output/format/table.ts'
import type { TableColumn } from '../../src/commands/output/format/table.ts'
import type { Parts } from '../measured/process.ts'
import type { Bound } from '../scenarios/scenarios.ts'
import type { Summary } from './summary.ts'
import type { Verdict } from './verdicts.ts'

const verdictColumns: readonly TableColumn[] = [
  'scenario',
  'figure',
  'against',
  right('least'),
  right('median'),
  right('largest'),
  right('target'),
  '',
]

/** The targets beside what was measured, one line a bound. */
export function drawVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ scenario, figure, against, values, target, side, verdict }) => [
    scenario,
    figure,
    against ?? '',
    ...(values ? [values.least, values.median, values.largest].map(shown[figure]) : ['', '', '']),
    `${side === 'at most' ? '≤' : '≥'} ${shown[figure](target)}`,
    verdict,
  ])
  return drawTable(verdictColumns, rows, { width: null })
}

const shown: Readonly<Record<Bound['figure'], (value: number) => string>> = {
  time: (value) => `${value.toFixed(2)} ×`,
  'extra time': (value) => `${Math.round(value)} ms`,
  'requests/s': (value) => `${value.toFixed(2)} ×`,
  'first byte': (value) => `${Math.round(value)} ms`,
  'rows written': formatNumber,
  WAL: (value) => `${(value / 1e6).toFixed(2)} MB`,
  'peak memory': (value) => `${Math.round(value / 1e6)} MB`,
}

const figureColumns: readonly TableColumn[] = [
  'measured',
  'engine',
  ...['min s', 'median s', 'CPU s', 'peak MB', 'WAL kB', 'rows', 'history', 'requests'].map(right),
]

/** The figures of floors and scenarios, one line a measurement. */
export function drawSummaries(summaries: readonly Summary[]): string {
  const rows = summaries.map((summary) => [
    summary.name,
    summary.engine,
    seconds(summary.minMs),
    seconds(summary.medianMs),
    summary.cpuMs === null ? '' : seconds(summary.cpuMs),
    rounded(summary.peakBytes, 1e6),
    rounded(summary.walBytes, 1000),
    rounded(summary.rows, 1),
    rounded(summary.historyRows, 1),
    rounded(summary.requests, 1),
  ])
  return drawTable(figureColumns, rows, { width: null })
}

const answeredColumns: readonly TableColumn[] = [
  'asked',
  ...['requests/s', 'p99 ms', 'first byte ms', 'CPU ms a request', 'asking CPU s', 'peak MB'].map(right),
]

/** How servers answered, one line a measurement. */
export function drawAnswered(summaries: readonly Summary[]): string {
  const rows = summaries.flatMap(({ name, answered, cpuMs, requests, peakBytes }) => {
    if (answered === null) return []
    const { perSecond, p99Ms, firstByteMs, askingMs } = answered
    return [
      [
        name,
        rounded(perSecond, 1),
        p99Ms.toFixed(1),
        firstByteMs.toFixed(1),
        cpuMs === null ? '' : (cpuMs / requests).toFixed(3),
        seconds(askingMs),
        rounded(peakBytes, 1e6),
      ],
    ]
  })
  return drawTable(answeredColumns, rows, { width: null })
}

/** Where the time of a short process went. */
export function drawParts(parts: Parts): string {
  return drawPairs(
    { width: null, indent: '' },
    Object.entries(parts).map(([part, ms]) => [part, `${Math.round(Number(ms))} ms`]),
  )
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 1000 ? 3 : 2)
}

function rounded(value: number | null, unit: number): string {
  return value === null ? '' : formatNumber(Math.round(value / unit))
}
