/** One run of the real program, and all that it said. */
import { inspect } from 'node:util'
import { HeadcountError } from '../../../src/common/errors.ts'
import { backfill, sync } from '../../../src/index.ts'
import type { RunOptions, RunReport } from '../../../src/index.ts'
import { chanceOf } from '../account/chance.ts'

export interface Ended {
  /** The exit code that the command line gives for it. */
  readonly exit: number
  readonly code: string | null
  readonly report: RunReport | null
  /** Everything that it logged, reported or threw, as text. */
  readonly said: string
  /** Of real time. */
  readonly ms: number
}

const exitCodes: Readonly<Record<string, number>> = { succeeded: 0, partial: 6, held: 8 }

/** @throws what is no error of the family: a fault of the program */
export async function runOnce(mode: 'sync' | 'backfill', options: RunOptions): Promise<Ended> {
  const said: string[] = []
  const began = performance.now()
  const told = () => ({ said: said.join('\n'), ms: performance.now() - began })
  const hear = (fields: object, message: string) => void said.push(message, inspect(fields, { depth: 8 }))
  const logger = { debug: hear, info: hear, warn: hear, error: hear }
  try {
    const report = await { sync, backfill }[mode]({ ...options, logger })
    said.push(JSON.stringify(report))
    return { exit: exitCodes[report.status] ?? 1, code: null, report, ...told() }
  } catch (error) {
    if (!(error instanceof HeadcountError)) throw error
    said.push(inspect(error, { depth: 8, showHidden: true }))
    return { exit: error.exitCode, code: error.code, report: error.report ?? null, ...told() }
  }
}

/** While a run of the simulation is under way, all chance in this process comes from its seed, and waits are short. */
export async function withChance<T>(seed: number, work: () => Promise<T>): Promise<T> {
  const { random } = Math
  const chance = chanceOf(seed)
  Math.random = () => chance.next() / 250
  try {
    return await work()
  } finally {
    Math.random = random
  }
}
