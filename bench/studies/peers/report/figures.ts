import { median } from '../../../figures/summary.ts'
import type { Floor, FloorName } from '../floors.ts'
import type { Size } from '../peers.ts'
import type { CommandCost, PeerRun, RunName, Series } from '../series.ts'

/** Everything that was measured. */
export interface Measured {
  readonly floors: readonly Floor[]
  readonly series: readonly Series[]
}

/** One run of a peer, over all rounds in which it came to its end. */
export interface RunFigures extends CommandCost {
  /** Of the last round. */
  readonly differences: PeerRun['differences']
}

/** Null when no round has such a run. */
export function runOf({ series }: Measured, peer: string, size: Size, run: RunName): RunFigures | null {
  const runs = seriesOf(series, peer, size).flatMap((one) => one.runs.filter((done) => done.run === run))
  const last = runs.at(-1)
  return last === undefined ? null : { ...summarise(runs), differences: last.differences }
}

/** Why a peer has no figures, or not all; null: it has. */
export function failureOf({ series }: Measured, peer: string, size: Size): string | null {
  return seriesOf(series, peer, size).find(({ failure }) => failure !== null)?.failure ?? null
}

/** Null when it was not measured on this account. */
export function floorOf({ floors }: Measured, floor: FloorName, size: Size) {
  const all = floors.filter((one) => one.floor === floor && one.size === size)
  return all.length === 0 ? null : summarise(all)
}

function seriesOf(series: readonly Series[], peer: string, size: Size): readonly Series[] {
  return series.filter((one) => one.peer === peer && one.size === size)
}

/** Medians, but for the largest peak and the least WAL: that is the whole server's. */
function summarise(all: readonly CommandCost[]): CommandCost {
  const peaks = all.flatMap(({ peakBytes }) => peakBytes ?? [])
  return {
    ms: median(all.map(({ ms }) => ms)),
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    requests: median(all.map(({ requests }) => requests)),
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
    walBytes: Math.min(...all.map(({ walBytes }) => walBytes)),
  }
}
