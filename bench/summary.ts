import type { EngineName } from './engines/engine.ts'
import type { Measurement, MeasurementName } from './round.ts'

/** All rounds on one engine. */
export interface EngineRounds {
  readonly engine: EngineName
  readonly rounds: readonly (readonly Measurement[])[]
}

/** One measurement over all rounds. */
export interface Summary {
  readonly engine: EngineName
  readonly name: MeasurementName
  readonly minMs: number
  readonly medianMs: number
  readonly cpuMs: number
  readonly responsesPerSecond: number
  /** How many times its floor it took: the median over the rounds, each compared with the floor of that round. */
  readonly ratio: number | null
  readonly floor: MeasurementName | null
  readonly peakBytes: number
  readonly walBytes: number | null
  readonly rowsWritten: number | null
}

/** What a measurement is compared with. */
const floors: Readonly<Record<MeasurementName, MeasurementName | null>> = {
  download: null,
  copy: null,
  cold: 'copy',
  unchanged: 'download',
  changed: 'download',
}

/** Times and CPU are medians unless said otherwise; peak memory is the largest, WAL the least of the rounds. */
export function summarise({ engine, rounds }: EngineRounds, responses: number): readonly Summary[] {
  return (rounds[0] ?? []).map(({ name }) => {
    const all = rounds.map((round) => measurementOf(round, name))
    const floor = floors[name]
    const medianMs = median(all.map(({ ms }) => ms))
    const writes = all.flatMap((one) => one.writes ?? [])
    return {
      engine,
      name,
      minMs: Math.min(...all.map(({ ms }) => ms)),
      medianMs,
      cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
      responsesPerSecond: (responses * 1000) / medianMs,
      ratio: floor && median(rounds.map((round) => times(round, name, floor))),
      floor,
      peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
      walBytes: writes.length === 0 ? null : Math.min(...writes.map(({ walBytes }) => walBytes)),
      rowsWritten: writes.length === 0 ? null : median(writes.map(({ rows }) => rows)),
    }
  })
}

function times(round: readonly Measurement[], name: MeasurementName, floor: MeasurementName): number {
  return measurementOf(round, name).ms / measurementOf(round, floor).ms
}

function measurementOf(round: readonly Measurement[], name: MeasurementName): Measurement {
  const measurement = round.find((one) => one.name === name)
  if (measurement === undefined) throw new Error(`A round has no measurement "${name}".`)
  return measurement
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
