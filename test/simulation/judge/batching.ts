/** How a run gathers its lists into batches, as far as it tells in which order they are decided. */
import type { Ran } from './judge-run.ts'
import type { Prediction } from '../model/predict.ts'
import type { Batching } from './stored-batches.ts'
import type { RunStep } from '../play/steps.ts'
import type { World } from '../play/world.ts'

/** What is this old is stored although its batch is not full (in ms; the program's own limit is two seconds). */
const OLD = 1900
/** The program's own size takes all that a simulated account has. */
const ALL = 5000

export function batchingOf(
  { stage: { engine } }: World,
  { batchRows, chunkBytes }: RunStep,
  tookMs: number,
): Batching {
  return {
    batchRows: batchRows ?? ALL,
    writers: engine.name === 'pglite' ? 1 : 2,
    isEachLarge: chunkBytes !== null,
    isSlow: tookMs >= OLD,
  }
}

/** Which lists a pulled brake holds depends on the order in which they came, which retries, company and a second writer change. */
export function isOrderOpen(
  world: World,
  { step, heard }: Pick<Ran, 'step' | 'heard'>,
  { braked }: Prediction,
): boolean {
  const { writers } = batchingOf(world, step, 0)
  const isInOrder =
    step.concurrency === 1 && step.chunkBytes === null && (writers === 1 || step.batchRows === null)
  return braked && (!isInOrder || heard.some(({ end }) => end === 'passing'))
}
