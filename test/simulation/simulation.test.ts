/**
 * Histories of an account and its mirror from seeds: the real run over real HTTP and a real database of each engine, with faults,
 * crashes, two runs at once and time that passes, judged by a model that shares no code with it. More of them, the
 * replay of one and the shortest that fails: `npm run simulate -- --help`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, openStageOn } from './engine/open.ts'
import { historyOf } from './play/plan.ts'
import { play, type Played } from './play/play.ts'
import type { Stage } from './play/world.ts'

/** On each engine. A thousand are the script's; each of these costs a second. */
const HISTORIES = 6

describe.each(engines)('simulated histories (%s)', (engine) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStageOn(engine)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Those that were played are not played again. */
  const first = new Map<number, Played>()

  test('a seed gives the same history, step by step, whenever it is played', async () => {
    const [played, again] = [await play(stage, historyOf(1)), await play(stage, historyOf(1))]
    expect(again.trace).toEqual(played.trace)
    first.set(1, played)
  })

  test('every history keeps what the design promises', { timeout: 900_000 }, async () => {
    let steps = 0
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const played = first.get(seed) ?? (await play(stage, historyOf(seed)))
      steps += played.steps
      const replay = `replay it with: npm run simulate -- --seed ${seed} --engine ${engine}`
      expect(played.failure, `seed ${seed}; ${replay}\n${played.trace.join('\n')}`).toBe(null)
    }
    const figures = `${HISTORIES} histories, ${steps.toLocaleString('en')} steps, seeds 1 to ${HISTORIES} on ${engine}`
    process.stdout.write(`simulation: ${figures}\n`)
  })
})
