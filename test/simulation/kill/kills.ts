/** Kills runs at seeded moments on one engine, one after the other, on one mirror. */
import { chanceOf } from '../account/chance.ts'
import { killAccount, startKillService } from './account.ts'
import { openKillPlace } from './databases.ts'
import { killOnce } from './round.ts'
import type { Killed, Scene } from './round.ts'
import type { EngineName } from '../engine/open.ts'

export interface Kills {
  readonly engine: EngineName
  /** What Node starts as the command: the sources, or a bundle, which starts in half the time. */
  readonly command: string
  readonly seed: number
  /** Kills that hit a run; one that had ended before is not counted. */
  readonly kills: number
  readonly events: number
  readonly responses: number
  readonly onKill: (killed: Killed) => void
}

/** @throws Broken at the first kill that left what was not promised */
export async function killMany(options: Kills): Promise<void> {
  const { engine, command, seed, kills, events, responses, onKill } = options
  const chance = chanceOf(seed)
  const account = killAccount(chance, events, responses)
  await using place = await openKillPlace(engine)
  await using service = await startKillService(account)
  const scene: Scene = { account, service, place, command, chance, held: new Map(), moments: [] }
  for (let hits = 0; hits < kills;) {
    const killed = await killOnce(scene)
    if (killed.isFinished) continue
    hits += 1
    onKill(killed)
  }
}
