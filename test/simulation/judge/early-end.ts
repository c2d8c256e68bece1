/** A run that came to no end: each event is wholly old or wholly new, and which of them may be new, its end tells. */
import { reliedOn } from '../model/another-account.ts'
import { isBroken } from '../engine/engine.ts'
import { goneAt, refusedAt } from '../model/fatal.ts'
import { require, requireWhole, sightOf } from './judge.ts'
import { batchingOf, isOrderOpen } from './batching.ts'
import type { Ran } from './judge-run.ts'
import { endOf } from '../model/lists.ts'
import type { Seen } from './snapshot.ts'
import { LIST } from '../model/mirror.ts'
import type { Mirror } from '../model/mirror.ts'
import type { Prediction } from '../model/predict.ts'
import type { Heard } from '../service/service.ts'
import { canBeStored } from './stored-batches.ts'
import type { End } from './stored-batches.ts'
import { canonical } from '../account/items.ts'
import type { World } from '../play/world.ts'

/** The answers that the run could still make use of. */
export function heardInTime(
  world: World,
  { heard, heardBefore, isInterrupted, broken }: Ran,
): readonly Heard[] {
  if (isBroken(broken)) return heard
  if (isInterrupted) return heardBefore
  const at = refusedAt(world, heard)
  return at === null ? heard : heard.slice(0, at + 1)
}

/** @returns the mirror as it turned out to be, of the model's own making */
export function requireEarlyEnd(world: World, ran: Ran, seen: Seen, prediction: Prediction): Mirror {
  const { heard } = ran
  const begun = reliedOn(world, ran)
  const { after, readOnce, left, failed, loads, letGo, heldBack } = prediction
  const byOrder = isOrderOpen(world, ran, prediction) ? [letGo, heldBack] : []
  const turnedOut = requireWhole(seen.mirror, world.mirror, after, begun, readOnce, ...byOrder)
  const sight = sightOf(seen.mirror, [world.mirror, begun], after)
  const gone = ran.ended.code === 'outage' ? goneAt(world, ran) : null
  if (gone !== null) {
    const lost = loads.find(({ id }) => isHeardBefore(heard, id, gone.from) && sight(id) === 'old')
    require(lost === undefined, `what was read before the service went away is not stored: ${lost?.id}`)
  } else if (ran.step.concurrency === 1) requireBatches(world, ran, prediction, sight)
  const isOn = canonical(seen.runs) !== canonical(world.runs)
  const status = isOn ? seen.runs.at(-1)?.status : undefined
  const isOld = (id: string) => sight(id) === 'old'
  const isNew = (id: string) => sight(id) === 'new'
  const inFlight = inFlightAtBreak(ran)
  const stamped = [...left, ...[...failed].filter((id) => hasFailed(heard, id))].filter(
    (id) => !inFlight.has(id),
  )
  if (status === undefined || status === 'running') {
    require(!left.some(isNew), 'an event is stamped by a run that is not closed')
  } else require(!stamped.some(isOld), `a run is closed without what it knows of ${stamped.find(isOld)}`)
  if (isNew(LIST)) {
    const lost = loads.map(({ id }) => id).find(isOld)
    require(lost === undefined, `the event list is stored before ${lost}`)
  }
  return turnedOut
}

function requireBatches(
  world: World,
  ran: Ran,
  { loads, due }: Prediction,
  sight: ReturnType<typeof sightOf>,
): void {
  // The refusal that ends a run may be that of the last event: then what is not full is given up as well.
  const at = refusedAt(world, ran.heard)
  const isEnded = at !== null && ran.heard[at]?.subject !== 'again'
  const isRead = !isEnded && [...due].every((id) => ran.heard.some(({ subject }) => subject === `/${id}`))
  const end = endOfReading(ran, isRead)
  const seen = loads.map(({ id }) => `${id}: ${sight(id) ?? 'the same'}`).join(', ')
  require(canBeStored(
    loads,
    sight,
    end,
    batchingOf(world, ran.step, ran.ended.ms),
  ), `this cannot be stored by batches when reading ends so (${end}): ${seen}`)
}

function endOfReading({ broken, isInterrupted }: Ran, isRead: boolean): End {
  if (isBroken(broken)) return isRead ? 'dead_after' : 'dead'
  if (isRead) return 'read'
  return isInterrupted ? 'aborted' : 'told'
}

/** A list is heard when it is requested: a run that lost a connection may have given up the last ones before it read them to their end. */
function inFlightAtBreak({ heard, broken, step }: Ran): ReadonlySet<string> {
  if (!broken.hasLostConnection) return new Set()
  const requested = heard.flatMap(({ subject }) => (subject.startsWith('/') ? subject.slice(1) : []))
  return new Set(requested.slice(-step.concurrency))
}

function isHeardBefore(heard: readonly Heard[], id: string, place: number): boolean {
  return heard.findLastIndex(({ subject }) => subject === `/${id}`) < place
}

/** One that was not found is looked for once more in the event list: only then has it failed. */
function hasFailed(heard: readonly Heard[], id: string): boolean {
  const end = endOf(heard, `/${id}`)?.end
  return end === 'broken' || end === 'refused'
}
