/** What a run has stored while it stands still: the batches that are full. */
import { setTimeout as sleep } from 'node:timers/promises'
import { reliedOn } from '../model/another-account.ts'
import { batchingOf, isOrderOpen } from './batching.ts'
import { Broken, requireWhole, sightOf } from './judge.ts'
import { predictFor } from './judge-run.ts'
import type { Ran } from './judge-run.ts'
import { endOf } from '../model/lists.ts'
import type { Seen } from './snapshot.ts'
import type { Mirror } from '../model/mirror.ts'
import { canBeStored } from './stored-batches.ts'
import type { World } from '../play/world.ts'

/** A run that is under way. */
export type UnderWay = Pick<Ran, 'step' | 'asked' | 'heard' | 'key'> & { readonly beganMs: number }

const WAIT_MS = 30_000

/** Waits until all that is full is stored. @returns the mirror then, of the model's own making */
export async function standsStill(world: World, run: UnderWay): Promise<{ seen: Seen; mirror: Mirror }> {
  const until = performance.now() + WAIT_MS
  for (let former = ''; ;) {
    const lookedMs = performance.now()
    const seen = await world.look()
    const { mirror, isSettled, stored } = storedOf(world, run, seen)
    // Twice the same: one batch may still follow where another way of filling them would end.
    if (isSettled && stored === former) return { seen, mirror }
    former = stored
    // PGlite answers without a turn of the event loop, in which the run reads its files: it gets as much time as the look.
    await sleep(performance.now() - lookedMs)
    if (performance.now() > until) throw new Broken('a run that stands still has not stored its full batches')
  }
}

/** Settled as soon as every batch that is full is stored. */
function storedOf(world: World, run: UnderWay, seen: Seen) {
  const begun = reliedOn(world, run)
  if (endOf(run.heard, 'events')?.end !== 'answered') {
    return { mirror: requireWhole(seen.mirror, world.mirror, begun), isSettled: true, stored: 'none' }
  }
  const prediction = predictFor(world, run, seen)
  const { after, loads, letGo, heldBack } = prediction
  const byOrder = isOrderOpen(world, run, prediction) ? [letGo, heldBack] : []
  const mirror = requireWhole(seen.mirror, world.mirror, after, begun, ...byOrder)
  const sight = sightOf(seen.mirror, [world.mirror, begun], after)
  const batching = batchingOf(world, run.step, performance.now() - run.beganMs)
  const isSettled = canBeStored(loads, sight, 'still', batching)
  return { mirror, isSettled, stored: loads.map(({ id }) => `${id} ${sight(id)}`).join() }
}
