/**
 * Histories of an account and its mirror from seeds: the real run over real HTTP and a real PGlite, with faults,
 * crashes, two runs at once and time that passes, judged by a model that shares no code with it. More of them, the
 * replay of one and the shortest that fails: `npm run simulate -- --help`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStageOn } from './engine/open.ts'
import { historyOf } from './play/plan.ts'
import { play, type Played } from './play/play.ts'
import type { Stage } from './play/world.ts'

const MIN_HISTORIES = 15
const SECONDS = 10

let stage: Stage

beforeAll(async () => {
  stage = await openStageOn('pglite')
})
afterAll(() => stage[Symbol.asyncDispose]())

const first = new Map<number, Played>()

/** Plays a seed, unless it was played. */
async function playOnce(seed: number): Promise<Played> {
  const played = first.get(seed) ?? (await play(stage, historyOf(seed)))
  first.set(seed, played)
  return played
}

test('a seed gives the same history, step by step, whenever it is played', async () => {
  for (const seed of [7, 8])
    expect((await playOnce(seed)).trace).toEqual((await play(stage, historyOf(seed))).trace)
})

test('every history keeps what the design promises', { timeout: 900_000 }, async () => {
  const until = performance.now() + SECONDS * 1000
  let [seed, steps] = [0, 0]
  while (seed < MIN_HISTORIES || performance.now() < until) {
    seed += 1
    const played = await playOnce(seed)
    steps += played.steps
    const replay = `replay it with: npm run simulate -- --seed ${seed}`
    expect(played.failure, `seed ${seed}; ${replay}\n${played.trace.join('\n')}`).toBe(null)
  }
  const figures = `${seed} histories, ${steps.toLocaleString('en')} steps, seeds 1 to ${seed}`
  process.stdout.write(`simulation: ${figures}\n`)
})
