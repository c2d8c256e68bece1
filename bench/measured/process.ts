import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { COST_DESCRIPTOR } from './cost-report.ts'
import type { Told } from './cost-report.ts'

/** No process takes as long; one that hangs is ended, and has failed. */
const LONGEST_MS = 20 * 60_000

/** What a process cost, from its start to its end. */
export interface Cost {
  readonly ms: number
  /** Null of what does not tell it; user and system time, without the database server's. */
  readonly cpuMs: number | null
  readonly peakBytes: number | null
  /** Where the time went; only of a process that opened a connection and asked the service. */
  readonly parts: Parts | null
}

/** The time of a run, one part after the other, in milliseconds. */
export interface Parts {
  readonly 'start of Node': number
  /** Modules of the program and of the driver, and settings. */
  readonly loading: number
  /** From the first connection to the database to the first request to the service. */
  readonly opening: number
  /** Until the program is over, with the closing of the run and of the database. */
  readonly run: number
}

export interface Program {
  /** Arguments of Node: the script and its own. */
  readonly args: readonly string[]
  /** The whole environment, but for the search path. */
  readonly env?: Readonly<Record<string, string>>
  /** Compiled report-cost.ts. */
  readonly reportCost: string
  /** Where a CPU profile goes; null: none is taken. */
  readonly profile: { readonly folder: string; readonly name: string } | null
}

/**
 * Runs a program of Node to its end and says what it cost and what it printed.
 *
 * @throws Error with what it wrote to stderr when it ended with another code than 0.
 */
export async function measureProcess(program: Program): Promise<{ cost: Cost; stdout: string }> {
  const { args, env = {}, reportCost, profile } = program
  const started = { wall: Date.now(), clock: performance.now() }
  const child = startNode([...profiling(profile), '--import', reportCost, ...args], env)
  const telling = costTold(child, started.clock)
  // Awaited in its turn: of a process that failed, what it wrote says more than that it told nothing.
  telling.catch(() => {})
  const stdout = await output(child, args)
  const { told, ms } = await telling
  return { stdout, cost: { ms, ...costOf(told, started.wall) } }
}

/** Runs a program of Node to its end and gives what it printed, and how long it took. */
export async function runProcess(args: readonly string[]): Promise<{ ms: number; stdout: string }> {
  const start = performance.now()
  const child = startNode(args, {})
  const ended = once(child, 'exit').then(() => performance.now() - start)
  return { stdout: await output(child, args), ms: await ended }
}

export function profiling(profile: Program['profile']): readonly string[] {
  if (profile === null) return []
  return ['--cpu-prof', `--cpu-prof-dir=${profile.folder}`, `--cpu-prof-name=${profile.name}.cpuprofile`]
}

export function startNode(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const PATH = process.env['PATH'] ?? ''
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const
  return spawn(process.execPath, args, { env: { PATH, ...env }, stdio: [...stdio], timeout: LONGEST_MS })
}

async function output(child: ChildProcess, args: readonly string[]): Promise<string> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdio[1] as Readable),
    text(child.stdio[2] as Readable),
    once(child, 'exit'),
  ])
  if (code === 0) return stdout
  throw new Error(`node ${args.join(' ')} ended with ${code ?? signal}:\n${stderr}${stdout}`)
}

/** What a process told when it ended. */
export async function costTold(child: ChildProcess, start: number): Promise<{ told: Told; ms: number }> {
  const ended = once(child, 'exit').then(() => performance.now() - start)
  const told = await text(child.stdio[COST_DESCRIPTOR] as Readable)
  const ms = await ended
  if (told === '') throw new Error('A measured process ended without telling what it cost.')
  return { told: JSON.parse(told) as Told, ms }
}

export function costOf(told: Told, started: number): Omit<Cost, 'ms'> {
  const { begun, connecting, asking, ended, cpuMs, peakBytes } = told
  const parts =
    connecting === null || asking === null
      ? null
      : {
          'start of Node': begun - started,
          loading: connecting - begun,
          opening: asking - connecting,
          run: ended - asking,
        }
  return { cpuMs, peakBytes, parts }
}
