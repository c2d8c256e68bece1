/**
 * A history is drawn from one seed. Every step has a seed of its own, so that a step can be left out without changing
 * the others.
 */
import { chanceOf } from '../account/chance.ts'
import type { Chance } from '../account/chance.ts'
import { drawEmptyRun, drawRun } from './draw-run.ts'
import type { History, Step } from './steps.ts'

export function historyOf(seed: number): History {
  const chance = chanceOf(seed)
  const validators = chance.weigh({ none: 4, true: 5, stuck: 1 })
  const size = { seed: chance.seed(), events: sizeOf(chance), validators }
  const steps: Step[] = []
  for (let rounds = chance.int(5, 10); rounds > 0; rounds--) {
    if (chance.odds(0.75)) steps.push({ do: 'moves', seed: chance.seed(), count: chance.int(1, 4) })
    if (chance.odds(0.4)) steps.push({ do: 'pass', minutes: chance.pick([10, 30, 70, 250, 1500, 12_000]) })
    if (chance.odds(0.08)) steps.push({ do: 'accept' })
    if (chance.odds(0.05)) steps.push({ do: 'jump', minutes: chance.pick([70, 1500, 500_000]) })
    if (chance.odds(0.06)) steps.push(...outage(chance))
    steps.push(drawRun(chance))
  }
  return { seed, size, steps }
}

/** For hours every list of responses is answered without an item. */
function outage(chance: Chance): readonly Step[] {
  return Array.from({ length: chance.int(2, 4) }, () => [
    drawEmptyRun(chance),
    { do: 'pass', minutes: chance.pick([10, 30, 70]) } as const,
  ]).flat()
}

/** Mostly small; sometimes a list longer than a page, sometimes many lists. */
function sizeOf(chance: Chance): readonly number[] {
  const size = chance.weigh({ small: 7, long: 2, many: 1.3, none: 0.3 })
  if (size === 'none') return []
  if (size === 'many') return Array.from({ length: chance.int(11, 14) }, () => chance.int(10, 15))
  const small = Array.from({ length: chance.int(1, 5) }, () => chance.int(0, 14))
  return size === 'long' ? [chance.int(50, 64), ...small] : small
}
