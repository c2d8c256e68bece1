/** Plays many seeds in processes of their own, one a core. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { EngineName } from '../engine/open.ts'
import type { Order, Report, Result } from './process.ts'

export interface Many {
  readonly engine: EngineName
  readonly first: number
  readonly seeds: number
  readonly processes: number
  /** Plays every seed, also after a failure. */
  readonly keepGoing: boolean
  /** Called after each history. */
  readonly onResult: (result: Result) => void
}

/** Ends at the first failure unless told otherwise, when every history under way has come to its end. @returns the failures. */
export async function playMany(many: Many): Promise<readonly Result[]> {
  const failures: Result[] = []
  const last = many.first + many.seeds - 1
  let next = many.first
  const work = async () => {
    const child = fork(new URL('./process.ts', import.meta.url), [many.engine])
    const ended = once(child, 'exit')
    child.on('message', ({ result }: Report) => {
      if (result !== null) many.onResult(result)
      if (result !== null && result.why !== null) failures.push(result)
      const order: Order = { seed: (many.keepGoing || failures.length === 0) && next <= last ? next++ : null }
      child.send(order)
    })
    const [code]: (number | null)[] = await ended
    if (code !== 0) throw new Error(`A process of the simulation ended with ${code}.`)
  }
  await Promise.all(Array.from({ length: Math.min(many.processes, many.seeds) }, work))
  return failures
}
