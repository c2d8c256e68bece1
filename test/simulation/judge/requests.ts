/** How a run may ask: what is final is not asked for again, what may pass is, and validators are used as promised. */
import { reliedOn } from '../model/another-account.ts'
import { isBroken } from '../engine/engine.ts'
import { failures } from '../service/faults.ts'
import type { Ran } from './judge-run.ts'
import { require, requireEqual } from './judge.ts'
import { unitOf } from '../model/mirror.ts'
import type { Facts } from '../model/mirror.ts'
import type { RunStep } from '../play/steps.ts'
import type { World } from '../play/world.ts'

const HOURS_24 = 24 * 60

export function requireManners(world: World, ran: Ran): void {
  const { heard, step, isInterrupted, broken } = ran
  const mirror = reliedOn(world, ran)
  for (const [subject, requests] of Map.groupBy(heard, ({ subject }) => subject)) {
    const ends = requests.map(({ end }) => end)
    require(requests.length <= 10, `${subject} was asked for ${requests.length} times`)
    const final = ends.findIndex((end) => end !== 'passing')
    require(final < 0 ||
      final === ends.length - 1, `${subject} was asked for again after: ${ends.join(', ')}`)
    const wanted = subject.startsWith('/')
      ? trusted(world, ran, unitOf(mirror, subject.slice(1)).facts)
      : null
    for (const { askedWith } of requests)
      requireEqual(askedWith, wanted, `the validator that ${subject} was asked with`)
    const isLeft = isInterrupted || isBroken(broken) || broken.conflict !== 'none'
    require(final >= 0 ||
      isLeft ||
      !isMild(step), `${subject} was given up with retries left: ${ends.join(', ')}`)
  }
}

/** For a day after the list was read whole; never in a backfill, nor while something of it is held. */
function trusted({ minute }: World, { asked }: Ran, facts: Facts | null): string | null {
  if (asked.mode === 'backfill' || facts === null || facts.held.size > 0 || facts.readAt === null) return null
  return minute - facts.readAt < HOURS_24 ? facts.etag : null
}

/** So few failures that every retry is within what is promised: three in all, two of one request. */
function isMild({ troubles }: RunStep): boolean {
  const passing = troubles.map(
    ({ failures: planned }) => planned.filter((failure) => failures[failure][0] === 'passing').length,
  )
  return passing.every((count) => count <= 2) && passing.reduce((sum, count) => sum + count, 0) <= 3
}
