import { join } from 'node:path'
import { request } from 'undici'
import type { RunReport, VerifyReport } from '../../src/index.ts'
import type { AccountShape } from '../account/account.ts'
import type { Compiled } from '../measured/compiled.ts'
import type { Read } from '../floors/download.ts'
import { learnValidators } from '../floors/not-modified.ts'
import type { Answered } from '../load/plan.ts'
import { serve, serving } from '../load/serve.ts'
import type { Serving } from '../load/serve.ts'
import { measureProcess, runProcess } from '../measured/process.ts'
import type { Cost } from '../measured/process.ts'
import type { Work } from '../scenarios/measurements.ts'

/** What work is done with. */
export interface Tools {
  readonly compiled: Compiled
  /** For what a floor needs to know before. */
  readonly folder: string
  /** Where CPU profiles go; null: none are taken. */
  readonly profile: string | null
}

/** Where work is done. */
export interface Place {
  /** Of the measurement; a profile bears it. */
  readonly name: string
  readonly base: string
  readonly shape: AccountShape
  /** The database; null: there is none. */
  readonly url: string | null
}

export interface Done extends Read {
  readonly cost: Cost
  /** Of a run: requests answered 304. */
  readonly notModified?: number
  /** Of a server: how it answered. */
  readonly answered?: Answered
}

/** Does a piece of work in a process of its own. */
export async function doWork(work: Work, tools: Tools, place: Place): Promise<Done> {
  if (work === 'sync') return runSync([], tools, place)
  if (work === 'syncAll') return runSync(['--all'], tools, place)
  if (work === 'verify') return runVerify(tools, place)
  if (work === 'node') return startNode(place)
  if (isServing(work)) return serve(work, tools, place)
  if (work !== 'notModified') return runFloor(work, place.url ?? '', tools, place)
  const file = join(tools.folder, 'validators.json')
  await learnValidators(place.base, file)
  return runFloor(work, file, tools, place)
}

function isServing(work: Work): work is Serving {
  return Object.hasOwn(serving, work)
}

async function runFloor(work: Work, operand: string, tools: Tools, place: Place): Promise<Done> {
  const { cost, stdout } = await measure(tools, place, [tools.compiled.floors, work, place.base, operand])
  const { ms, ...read } = JSON.parse(stdout) as Read
  return { cost: ms === undefined ? cost : { ...cost, ms }, ...read }
}

/** @throws Error when the run did not read what it should have. */
async function runSync(flags: readonly string[], tools: Tools, place: Place): Promise<Done> {
  const { cost, stdout } = await runCommand(['sync', ...flags], tools, place)
  const { shape } = place
  const { status, events, requests, not_modified: notModified } = JSON.parse(stdout) as RunReport
  const due = flags.includes('--all') ? shape.events : shape.active
  if (status === 'succeeded' && events.due === due) return { cost, requests, notModified }
  throw new Error(`the run ${status} with ${events.due} events due instead of ${due}`)
}

/** @throws Error when it did not find every list equal. */
async function runVerify(tools: Tools, place: Place): Promise<Done> {
  const { cost, stdout } = await runCommand(['verify'], tools, place)
  const { status, lists_compared: lists, requests } = JSON.parse(stdout) as VerifyReport
  if (status === 'equal' && lists === place.shape.events) return { cost, requests }
  throw new Error(
    `the mirror was found ${status}, with ${lists} lists compared instead of ${place.shape.events}`,
  )
}

function runCommand(args: readonly string[], tools: Tools, { name, base, url }: Place) {
  const env = { HEADCOUNT_BASE_URL: base, HEADCOUNT_API_KEY: 'bench', DATABASE_URL: url ?? '' }
  return measure(tools, { name }, [tools.compiled.command, ...args, '--json', '--quiet'], env)
}

/** The least that a run could be: a start of Node and two requests, on a connection that is open. */
async function startNode({ base }: Place): Promise<Done> {
  const { ms } = await runProcess(['-e', '0'])
  const ask = async (path: string) => (await request(base + path)).body.dump({ limit: Infinity })
  await ask('/ping')
  const start = performance.now()
  await ask('/ping')
  await ask('/events')
  const cost = { ms: ms + performance.now() - start, cpuMs: null, peakBytes: null, parts: null }
  return { cost, requests: 2 }
}

async function measure(
  { compiled, profile }: Tools,
  { name }: Pick<Place, 'name'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ cost: Cost; stdout: string }> {
  const to = profile === null ? null : { folder: profile, name }
  return measureProcess({ args, env, reportCost: compiled.reportCost, profile: to })
}
