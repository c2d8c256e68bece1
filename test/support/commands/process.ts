/** A program that goes on until it is told to stop: what it says meanwhile, and how it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, inject } from 'vitest'
import type { Ran } from './command.ts'

export interface ProcessOptions {
  /** The whole environment, but for the search path and the place of compiled code. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** User and group that it runs as; only root may choose. */
  readonly user?: number
}

export interface Process extends AsyncDisposable {
  /** What it wrote to stderr until now. */
  readonly stderr: string
  /** The lines of its log until now; lines that are no JSON are left out. */
  readonly log: readonly LogLine[]
  /** Resolves when a line of the log has this text in its message. */
  says(message: string, times?: number): Promise<LogLine>
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Ran>
}

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
  readonly msg: string
}

export function startProcess(program: string, args: readonly string[], options: ProcessOptions): Process {
  const { env, cwd, user } = options
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({
    code: code ?? null,
    stdout,
    stderr,
  }))
  const running: Process = {
    get stderr() {
      return stderr
    },
    get log() {
      return stderr.split('\n').flatMap(logLine)
    },
    says: async (message, times = 1) => {
      const found = () => running.log.filter(({ msg }) => msg.includes(message))
      await expect
        .poll(() => found().length, { timeout: 60_000, message: `"${message}" in:\n${stderr}` })
        .toBeGreaterThanOrEqual(times)
      const line = found()[times - 1]
      if (line === undefined) throw new Error(`the log has no ${message}`)
      return line
    },
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
  return running
}

function logLine(text: string): LogLine[] {
  try {
    return [JSON.parse(text) as LogLine]
  } catch {
    return []
  }
}

const cli = inject('command')

/** `headcount …` as a process of its own. */
export function startHeadcount(args: readonly string[], options: ProcessOptions): Process {
  return startProcess(process.execPath, [cli, ...args], options)
}

/** `headcount worker …` as a process of its own. */
export function startWorker(args: readonly string[], options: ProcessOptions): Process {
  return startHeadcount(['worker', ...args], options)
}

/** `headcount serve …` as a process of its own, on any free port. */
export function startServe(args: readonly string[], options: ProcessOptions): Process {
  return startHeadcount(['serve', '--port', '0', ...args], options)
}

/** The address that it says it listens on. */
export async function urlOf(served: Process): Promise<string> {
  const line = /^listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v1)$/m
  await expect.poll(() => served.stderr, { timeout: 60_000 }).toMatch(line)
  return line.exec(served.stderr)?.[1] ?? ''
}
