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

/** A thousand are the script's; each of these costs seconds, on PGlite twice as many. */
const HISTORIES = { postgres: 4, pglite: 2 } as const

describe.each(engines)('simulated histories (%s)', (engine) => {
  const histories = HISTORIES[engine]
  let stage: Stage
  beforeAll(async () => {
    stage = await openStageOn(engine)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('every history keeps what the design promises', { timeout: 900_000 }, async () => {
    let steps = 0
    for (let seed = 1; seed <= histories; seed += 1) {
      const played = await play(stage, historyOf(seed))
      steps += played.steps
      const replay = `replay it with: npm run simulate -- --seed ${seed} --engine ${engine}`
      expect(played.failure, `seed ${seed}; ${replay}\n${played.trace.join('\n')}`).toBe(null)
    }
    const figures = `${histories} histories, ${steps.toLocaleString('en')} steps, seeds 1 to ${histories} on ${engine}`
    process.stdout.write(`simulation: ${figures}\n`)
  })
})

test('a seed gives the same history, step by step, whenever it is played', async () => {
  await using stage = await openStageOn('postgres')
  const [played, again] = [await play(stage, historyOf(1)), await play(stage, historyOf(1))]
  expect(stepsOf(again)).toEqual(stepsOf(played))
})

/** Without the ends of runs: of deletions that are bounded, a run makes those of the lists that came first. */
const stepsOf = ({ trace }: Played) => trace.filter((line) => !line.startsWith('   exit '))
