/** Makes a failing history as short as it goes: steps, faults and items are left out while it still fails. */
import { plainRun } from './steps.ts'
import type { History, RunStep, Step } from './steps.ts'

export interface Shrinking {
  /** Whether a history fails, whatever the reason. */
  readonly fails: (history: History) => Promise<boolean>
  readonly deadline: number
}

export async function shrink(history: History, shrinking: Shrinking): Promise<History> {
  let shortest = history
  for (let former = ''; former !== JSON.stringify(shortest) && !isOver(shrinking);) {
    former = JSON.stringify(shortest)
    shortest = await withoutSteps(shortest, shrinking)
    shortest = await tryEach(shortest, plainerSteps, shrinking)
    shortest = await tryEach(shortest, smallerAccounts, shrinking)
  }
  return shortest
}

function isOver({ deadline }: Shrinking): boolean {
  return performance.now() > deadline
}

/** Leaves out ever shorter stretches of steps. */
async function withoutSteps(history: History, shrinking: Shrinking): Promise<History> {
  let shortest = history
  for (let length = Math.ceil(history.steps.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = 0; from < shortest.steps.length && !isOver(shrinking);) {
      const shorter = { ...shortest, steps: shortest.steps.toSpliced(from, length) }
      if (await shrinking.fails(shorter)) shortest = shorter
      else from += length
    }
  }
  return shortest
}

type Candidates = (history: History) => Iterable<History>

/** Takes the first candidate that still fails, and goes on from there until none does. */
async function tryEach(history: History, candidates: Candidates, shrinking: Shrinking): Promise<History> {
  let shortest = history
  for (let isShorter = true; isShorter && !isOver(shrinking);) {
    isShorter = false
    for (const candidate of candidates(shortest)) {
      if (isOver(shrinking) || !(await shrinking.fails(candidate))) continue
      shortest = candidate
      isShorter = true
      break
    }
  }
  return shortest
}

function* plainerSteps(history: History): Generator<History> {
  for (const [place, step] of history.steps.entries()) {
    for (const plainer of plainerOf(step)) yield { ...history, steps: history.steps.with(place, plainer) }
  }
}

function* plainerOf(step: Step): Generator<Step> {
  if (step.do === 'moves' && step.count > 1) yield { ...step, count: step.count - 1 }
  if (step.do !== 'run') return
  for (const place of step.troubles.keys()) yield { ...step, troubles: step.troubles.toSpliced(place, 1) }
  for (const [place, trouble] of step.troubles.entries()) {
    if (trouble.failures.length > 1) {
      const fewer = { ...trouble, failures: trouble.failures.slice(0, -1) }
      yield { ...step, troubles: step.troubles.with(place, fewer) }
    }
  }
  for (const option of plainOptions) {
    if (step[option] !== plainRun[option]) yield { ...step, [option]: plainRun[option] }
  }
}

const plainOptions = [
  ...(['breakage', 'beside', 'interruptAt', 'refusedFrom', 'key', 'named', 'mode', 'all'] as const),
  ...(['accept', 'adopt', 'restart', 'concurrency', 'isPatient', 'chunkBytes', 'batchRows'] as const),
] satisfies readonly (keyof RunStep)[]

function* smallerAccounts(history: History): Generator<History> {
  const { size } = history
  if (size.validators !== 'none') yield { ...history, size: { ...size, validators: 'none' } }
  for (const place of size.events.keys()) {
    yield { ...history, size: { ...size, events: size.events.toSpliced(place, 1) } }
  }
  for (const [place, responses] of size.events.entries()) {
    for (const fewer of new Set([0, Math.floor(responses / 2), responses - 1])) {
      if (fewer >= 0 && fewer < responses) {
        yield { ...history, size: { ...size, events: size.events.with(place, fewer) } }
      }
    }
  }
}
