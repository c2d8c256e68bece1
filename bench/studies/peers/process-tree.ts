/** Runs a command with all the processes it starts, and says what they cost together. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface Command {
  /** The program and its arguments. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface TreeCost {
  readonly ms: number
  /** User and system time of all processes; the database server's is not in it. */
  readonly cpuMs: number
  /** The most that all had resident at one time, pages they share counted in each; null where there is no /proc. */
  readonly peakBytes: number | null
}

/** A command that took longer than it may was ended. */
export class LimitError extends Error {}

/** The shell's own account of what it waited for; it costs a millisecond and 1 MB, which is not counted. */
const MEASURED = '"$@"; code=$?; times >&3; exit "$code"'
const SAMPLED_EVERY_MS = 100
const LONGEST_COMPLAINT = 2000

/**
 * Runs a command to its end, in a process group of its own.
 *
 * @throws LimitError when it was ended, Error with the end of what it wrote when it ended with another code than 0.
 */
export async function runTree({ args, env }: Command, limitMs: number): Promise<TreeCost> {
  const start = performance.now()
  const child = spawn('/bin/sh', ['-c', MEASURED, 'sh', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  await once(child, 'spawn')
  const group = child.pid ?? 0
  const end = (): void => void ifThere(() => process.kill(-group, 'SIGKILL'))
  process.once('exit', end)
  let isOver = false
  const limit = setTimeout(() => {
    isOver = true
    end()
  }, limitMs)
  let peakBytes: number | null = null
  const sampling = setInterval(() => {
    const now = residentBelow(group)
    if (now > (peakBytes ?? 0)) peakBytes = now
  }, SAMPLED_EVERY_MS)
  try {
    const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, ms: since(start) }))
    const [said, complained, times, { code, ms }] = await Promise.all([
      text(child.stdio[1] as Readable),
      text(child.stdio[2] as Readable),
      text(child.stdio[3] as Readable),
      ended,
    ])
    if (isOver) throw new LimitError(`taken too long: ended after ${Math.round(ms / 1000)} s`)
    if (code !== 0) throw new Error(`ended with ${code}\n${(complained + said).slice(-LONGEST_COMPLAINT)}`)
    return { ms, cpuMs: cpuOfChildren(times), peakBytes }
  } finally {
    clearTimeout(limit)
    clearInterval(sampling)
    process.removeListener('exit', end)
  }
}

function since(start: number): number {
  return performance.now() - start
}

/** The second line of `times`: user and system time of the shell's children, as `1m2.34s 0m0.56s`. */
function cpuOfChildren(times: string): number {
  const [, line = ''] = times.split('\n')
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  )
}

/** What all processes below one have resident; 0 where there is no /proc. */
function residentBelow(parent: number): number {
  return childrenOf(parent).reduce((sum, child) => sum + residentOf(child) + residentBelow(child), 0)
}

function childrenOf(parent: number): readonly number[] {
  const tasks = `/proc/${parent}/task`
  const threads = ifThere(() => readdirSync(tasks)) ?? []
  const lists = threads.map((thread) => ifThere(() => readFileSync(`${tasks}/${thread}/children`, 'utf8')))
  return lists.flatMap((list) => list?.match(/\d+/g) ?? []).map(Number)
}

function residentOf(process: number): number {
  const status = ifThere(() => readFileSync(`/proc/${process}/status`, 'utf8')) ?? ''
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
  return Number(kilobytes) * 1024
}

/** A process may end at any moment: then there is nothing to see, and nothing to end. */
function ifThere<T>(act: () => T): T | null {
  try {
    return act()
  } catch {
    return null
  }
}
