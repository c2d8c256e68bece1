import { formatNumber } from '../src/commands/print/number.ts'
import { drawTable } from '../src/commands/print/table.ts'
import type { TableColumn } from '../src/commands/print/table.ts'
import type { Summary } from './summary.ts'

const columns: readonly TableColumn[] = [
  { heading: 'engine' },
  { heading: 'measured' },
  { heading: 'min s', align: 'right' },
  { heading: 'median s', align: 'right' },
  { heading: 'CPU s', align: 'right' },
  { heading: 'responses/s', align: 'right' },
  { heading: 'ratio', align: 'right' },
  { heading: 'to floor' },
  { heading: 'peak MB', align: 'right' },
  { heading: 'WAL kB', align: 'right' },
  { heading: 'rows written', align: 'right' },
]

/** The figures as text, one line a measurement. */
export function drawSummaries(summaries: readonly Summary[]): string {
  return drawTable(columns, summaries.map(cells), { width: null })
}

function cells(summary: Summary): readonly string[] {
  const { engine, name, ratio, floor, walBytes, rowsWritten } = summary
  return [
    engine,
    name,
    seconds(summary.minMs),
    seconds(summary.medianMs),
    seconds(summary.cpuMs),
    formatNumber(Math.round(summary.responsesPerSecond)),
    ratio === null ? '' : ratio.toFixed(2),
    floor ?? '',
    formatNumber(Math.round(summary.peakBytes / 1e6)),
    walBytes === null ? '' : formatNumber(Math.round(walBytes / 1000)),
    rowsWritten === null ? '' : formatNumber(rowsWritten),
  ]
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
