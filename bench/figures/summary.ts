import type { Answered } from '../load/plan.ts'
import type { Parts } from '../measured/process.ts'
import { measuredOf } from '../scenarios/measurements.ts'
import type { MeasurementName } from '../scenarios/measurements.ts'
import type { Measurement, Round } from '../runner/round.ts'

/** One measurement over all rounds in which it did not fail. Times and CPU are medians unless said otherwise. */
export interface Summary {
  readonly name: MeasurementName
  readonly engine: string
  readonly minMs: number
  readonly medianMs: number
  readonly cpuMs: number | null
  /** The largest of the rounds. */
  readonly peakBytes: number | null
  /** The least of the rounds: it is the whole server's. */
  readonly walBytes: number | null
  readonly rows: number | null
  readonly historyRows: number | null
  readonly requests: number
  readonly parts: Parts | null
  /** Null of what is no server. */
  readonly answered: AnsweredSummary | null
}

export interface AnsweredSummary extends Pick<Answered, 'p99Ms' | 'firstByteMs' | 'askingMs'> {
  readonly perSecond: number
}

export function summarise(rounds: readonly Round[]): readonly Summary[] {
  const measured = new Set(rounds.flatMap(({ measurements }) => measurements.map(({ name }) => name)))
  return [...measured].map((name) => {
    const all = rounds.flatMap((round) => measurementOf(round, name) ?? [])
    const writes = all.flatMap((one) => one.writes ?? [])
    const answered = all.flatMap((one) => one.answered ?? [])
    const parts = all.flatMap((one) => one.parts ?? [])
    return {
      name,
      engine: measuredOf(name).engine ?? '',
      minMs: Math.min(...all.map(({ ms }) => ms)),
      medianMs: median(all.map(({ ms }) => ms)),
      cpuMs: of(all, ({ cpuMs }) => cpuMs, median),
      peakBytes: of(all, ({ peakBytes }) => peakBytes, largest),
      walBytes: of(writes, ({ walBytes }) => walBytes, least),
      rows: of(writes, ({ rows }) => rows, median),
      historyRows: of(writes, ({ historyRows }) => historyRows, median),
      requests: median(all.map(({ requests }) => requests)),
      parts: parts.length === 0 ? null : medianParts(parts),
      answered: answered.length === 0 ? null : medianAnswered(answered),
    }
  })
}

/** Undefined when it failed. */
export function measurementOf({ measurements }: Round, name: MeasurementName): Measurement | undefined {
  return measurements.find((one) => one.name === name)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

function medianParts(all: readonly Parts[]): Parts {
  return {
    'start of Node': median(all.map((parts) => parts['start of Node'])),
    loading: median(all.map(({ loading }) => loading)),
    opening: median(all.map(({ opening }) => opening)),
    run: median(all.map(({ run }) => run)),
  }
}

function medianAnswered(all: readonly Answered[]): AnsweredSummary {
  return {
    perSecond: median(all.map(({ requests, ms }) => (1000 * requests) / ms)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
    firstByteMs: median(all.map(({ firstByteMs }) => firstByteMs)),
    askingMs: median(all.map(({ askingMs }) => askingMs)),
  }
}

/** Null where none has this figure. */
function of<Measured>(
  all: readonly Measured[],
  figure: (measured: Measured) => number | null,
  choose: (values: readonly number[]) => number,
): number | null {
  const values = all.flatMap((measured) => figure(measured) ?? [])
  return values.length === 0 ? null : choose(values)
}

function largest(values: readonly number[]): number {
  return Math.max(...values)
}

function least(values: readonly number[]): number {
  return Math.min(...values)
}
