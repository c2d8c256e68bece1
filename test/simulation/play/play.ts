/** Plays a history on a stage, and judges every step of it. */
import { chanceOf } from '../account/chance.ts'
import { Broken, momentOf, requireEqual, requireReplay } from '../judge/judge.ts'
import type { Unit } from '../model/mirror.ts'
import { move } from '../account/moves.ts'
import { plainRun } from './steps.ts'
import type { History, RunStep, Step } from './steps.ts'
import { playRun } from './play-run.ts'
import { tell } from './describe.ts'
import { requireServed } from '../judge/served.ts'
import { World } from './world.ts'
import type { Stage } from './world.ts'

export interface Played {
  /** Why the history failed, and at which step; null when it did not. */
  readonly failure: { readonly step: number; readonly why: string } | null
  readonly steps: number
  readonly trace: readonly string[]
}

/** A day later no validator is trusted any more. Twice: what looks like an outage is held at first sight, and accepted at the second. */
const finale: readonly RunStep[] = [
  { ...plainRun, all: true, adopt: true },
  { ...plainRun, all: true, adopt: true, accept: true },
]

export async function play(stage: Stage, history: History): Promise<Played> {
  const world = await World.begin(stage, history)
  const steps: readonly Step[] = [...history.steps, { do: 'pass', minutes: 1500 }, ...finale]
  let at = 0
  try {
    for (const step of steps) {
      world.trace.push(`${at + 1}. ${tell(step)}`)
      await playStep(world, step)
      at += 1
    }
    await requireEnd(world)
    return { failure: null, steps: at, trace: world.trace }
  } catch (error) {
    const why =
      error instanceof Broken ? error.message : error instanceof Error ? `${error.stack}` : String(error)
    world.trace.push(`   ${why}`)
    return { failure: { step: at, why }, steps: at, trace: world.trace }
  }
}

async function playStep(world: World, step: Step): Promise<void> {
  if (step.do === 'pass') return world.pass(step.minutes)
  if (step.do === 'jump') return world.pass(step.minutes, false)
  if (step.do === 'accept') return world.accept()
  if (step.do === 'moves') {
    const chance = chanceOf(step.seed)
    const moves = Array.from({ length: step.count }, () => move(world.owner, chance))
    world.trace.push(`   ${moves.join(', ')}`)
    return
  }
  const seen = await playRun(world, step)
  requireEqual(seen.orphans, 0, 'rows that hang on nothing')
  await world.stage.serving.requireShown(seen)
  requireReplay(seen, world.moments.slice(-3))
  world.moments.push(momentOf(seen))
}

/** In the end the live tables are what the service answers, nothing is held, and history replays to every moment. */
async function requireEnd(world: World): Promise<void> {
  const seen = await world.look()
  requireReplay(seen, world.moments)
  requireServed(world.owner, seen.mirror)
  // The responses of an event whose own record was never stored are not read.
  const spoilt = new Set(world.owner.events.flatMap(({ item }) => (item.row === null ? (item.id ?? []) : [])))
  const isRead = (id: string, { record }: Unit) => record !== null || !spoilt.has(id)
  const isOpen = ({ facts }: Unit) =>
    facts !== null && (facts.held.size + facts.unconfirmed.size > 0 || facts.failing)
  const open = [...seen.mirror].flatMap(([id, unit]) => (isOpen(unit) && isRead(id, unit) ? id : []))
  requireEqual(open, [], 'held, unconfirmed or failing in the end')
  requireEqual(await world.leaks(), [], 'the key stands in the mirror')
}
