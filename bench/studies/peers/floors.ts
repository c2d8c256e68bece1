import { measureCommand } from './series.ts'
import type { Bench, CommandCost } from './series.ts'
import type { Size } from './peers.ts'

/** What no peer can be faster than: the bodies alone, and the same rows copied into headcount's tables. */
export type FloorName = 'download' | 'copy'
export const floorNames: readonly FloorName[] = ['download', 'copy']

export interface Floor extends CommandCost {
  readonly floor: FloorName
  readonly size: Size
}

/** Measures the floors (bench/floors) as the peers are: a process of their own, on an empty mirror at rest. */
export async function measureFloors(bench: Bench, size: Size): Promise<readonly Floor[]> {
  const { compiled, service, engine } = bench
  await service.show(size, 'original')
  const floors: Floor[] = []
  for (const floor of floorNames) {
    await using mirror = await engine.copy(engine.empty)
    const args = [process.execPath, compiled.floors, floor, service.baseOf(size, 'plain'), mirror.url]
    const measured = await measureCommand(bench, { args, env: {} }, mirror.url, bench.limitMs)
    bench.say(`floor ${floor} ${(measured.ms / 1000).toFixed(2)} s`)
    floors.push({ floor, size, ...measured })
  }
  return floors
}
