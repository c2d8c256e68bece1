/** `npm run simulate`: plays histories from seeds, and shows the first that fails, as short as it goes. */
import { availableParallelism } from 'node:os'
import { chosen, count, runProgram } from '../support/commands/program.ts'
import { playMany } from './play/many.ts'
import type { Many } from './play/many.ts'
import { engines, openStageOn } from './engine/open.ts'
import type { EngineName } from './engine/open.ts'
import { historyOf } from './play/plan.ts'
import type { History } from './play/steps.ts'
import { play } from './play/play.ts'
import type { Result } from './play/process.ts'
import { shrink } from './play/shrink.ts'
import { tellHistory } from './play/describe.ts'

const help = `npm run simulate -- [options]

  --seeds N         how many histories (1000)
  --from N          the first seed (1)
  --seed N          plays this one and prints its steps
  --engine NAME     ${engines.join(' or ')} (pglite)
  --processes N     at once (one a core)
  --keep-going      plays every seed and lists all that fail, instead of the shortest form of the first
`

const SHRINK_FOR_MS = 120_000

const options = {
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  engine: { type: 'string', default: 'pglite' },
  processes: { type: 'string', default: String(availableParallelism()) },
  'keep-going': { type: 'boolean', default: false },
} as const

const print = (text: string) => void process.stdout.write(`${text}\n`)

async function replay(engine: EngineName, seed: number): Promise<boolean> {
  await using stage = await openStageOn(engine)
  const { failure, trace } = await play(stage, historyOf(seed))
  print(trace.join('\n'))
  print(failure === null ? `seed ${seed} holds` : `seed ${seed} fails at step ${failure.step + 1}`)
  return failure === null
}

type Search = Pick<Many, 'engine' | 'first' | 'seeds' | 'processes' | 'keepGoing'>

async function search({ engine, first, seeds, processes, keepGoing }: Search): Promise<boolean> {
  const began = performance.now()
  let [histories, steps] = [0, 0]
  const failures = await playMany({
    engine,
    first,
    seeds,
    processes,
    keepGoing,
    onResult: (result) => {
      histories += 1
      steps += result.steps
      if (result.why !== null) print(failed(engine, result))
      if (process.stderr.isTTY) process.stderr.write(`\r${histories} of ${seeds} histories `)
    },
  })
  const seconds = (performance.now() - began) / 1000
  const figures = `${histories.toLocaleString('en')} histories, ${steps.toLocaleString('en')} steps`
  if (process.stderr.isTTY) process.stderr.write('\r')
  print(
    `simulation: ${figures}, from seed ${first} on ${engine}, ${(histories / seconds).toFixed(1)} a second`,
  )
  const [failure] = failures
  if (failure !== undefined && !keepGoing) await showShortest(engine, historyOf(failure.seed))
  return failure === undefined
}

function failed(engine: EngineName, { seed, why }: Result): string {
  return `seed ${seed} fails: ${why}\n  npm run simulate -- --seed ${seed} --engine ${engine}`
}

async function showShortest(engine: EngineName, history: History): Promise<void> {
  await using stage = await openStageOn(engine)
  const fails = async (candidate: History) => (await play(stage, candidate)).failure !== null
  const shortest = await shrink(history, { fails, deadline: performance.now() + SHRINK_FOR_MS })
  const { trace } = await play(stage, shortest)
  print(
    `\nthe shortest history found that fails:\n${tellHistory(shortest)}\n\nplayed, with what it ends with:\n${trace.join('\n')}`,
  )
}

process.exitCode = await runProgram(help, options, (values) => {
  const [engine = 'pglite'] = chosen('engine', [values.engine], engines)
  if (values.seed !== undefined) return replay(engine, count('seed', values.seed))
  return search({
    engine,
    first: count('from', values.from),
    seeds: count('seeds', values.seeds),
    processes: count('processes', values.processes),
    keepGoing: values['keep-going'],
  })
})
