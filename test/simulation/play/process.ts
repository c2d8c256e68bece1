/** One process of a simulation: plays the seeds that it is given, and tells what came of each. */
import { openStageOn } from '../engine/open.ts'
import type { EngineName } from '../engine/open.ts'
import { historyOf } from './plan.ts'
import { play } from './play.ts'

export interface Order {
  /** null: no more. */
  readonly seed: number | null
}

export interface Result {
  readonly seed: number
  readonly steps: number
  readonly why: string | null
}

/** Told once at the start, and after each history: ready for the next. */
export type Report = { readonly result: Result | null }

const engine = process.argv[2] as EngineName
const stage = await openStageOn(engine)
const tell = (report: Report) => process.send?.(report)

process.on('message', ({ seed }: Order) => {
  void (async () => {
    if (seed === null) {
      await stage[Symbol.asyncDispose]()
      process.disconnect()
      return
    }
    const { steps, failure } = await play(stage, historyOf(seed))
    tell({ result: { seed, steps, why: failure?.why ?? null } })
  })()
})
// Nobody asks any more, however the parent ended.
process.once('disconnect', () => process.exit(0))
tell({ result: null })
