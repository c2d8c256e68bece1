/** The command line as a process of its own, with an environment of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import { runInProcess } from './in-process.ts'

const cli = inject('command')

/** Longer than any command of the tests takes. */
const DEADLINE_MS = 170_000

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Nothing of the environment of the tests goes in but the search path and the place of compiled code. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** User and group that it runs as; only root may choose. */
  readonly user?: number
  /** Called once the process runs: to send it signals. */
  readonly meanwhile?: (child: ChildProcess) => void | Promise<void>
  /** What it prints goes to a terminal of so many columns, without colours. For what draws there or asks, `headcountOnTerminal`. */
  readonly columns?: number
}

/**
 * Runs `headcount …` and gathers what it wrote and how it ended: within the process of the tests, unless a process of its own
 * may make a difference.
 */
export function headcount(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (needsProcess(args, options)) {
    if (options.columns !== undefined)
      throw new TypeError('A process has no columns: take headcountOnTerminal.')
    return headcountProcess(args, options)
  }
  return runInProcess(args, options.env ?? {}, options.columns ?? null)
}

/** The same as a process of its own, as users start it. */
export function headcountProcess(
  args: readonly string[],
  options: Omit<RunOptions, 'columns'> = {},
): Promise<Ran> {
  return run(process.execPath, [cli, ...args], options)
}

/** Commands that go on until they are told to stop. */
const longCommands = ['demo', 'serve', 'worker']

/** What a process alone has: signals, what is typed, a folder, a user, and variables that Node or a library goes by. */
function needsProcess([command = '', ...rest]: readonly string[], options: RunOptions): boolean {
  const { env = {}, cwd, stdin, user, meanwhile } = options
  const isTyped = stdin !== undefined || (command === 'query' && (rest.length === 0 || rest.includes('-')))
  const isOwn = (name: string) => /^(HEADCOUNT_|DATABASE_URL)/.test(name)
  return (
    isTyped ||
    longCommands.includes(command) ||
    [cwd, user, meanwhile].some((option) => option !== undefined) ||
    // Without it the database is a folder where the process was started.
    !('DATABASE_URL' in env) ||
    !Object.keys(env).every(isOwn)
  )
}

/** Another program, in the same clean environment. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(program, args, {
    cwd: options.cwd ?? tmpdir(),
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...options.env,
    },
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    ...(options.user !== undefined && { uid: options.user, gid: options.user }),
  })
  // A command that has ended before it read everything is no fault of the test.
  child.stdin.on('error', () => {})
  child.stdin.end(options.stdin ?? '')
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, 'close')
  await options.meanwhile?.(child)
  const [code]: (number | null)[] = await ended
  return { code: code ?? null, stdout: await stdout, stderr: await stderr }
}

/** What a command wrote, but for how long ago something was. */
export function withoutAges({ code, stdout, stderr }: Ran): Ran {
  const ageless = (output: string) =>
    output
      .replace(/"age_ms":\d+/, '"age_ms":0')
      .replaceAll(/\d[\d.]* (?:ms|s|min)(?: \d+ s)? ago/g, 'some time ago')
  return { code, stdout: ageless(stdout), stderr: ageless(stderr) }
}

/** The program that gives a command a terminal; not every machine has it. */
export const scriptPath = ['/usr/bin/script', '/bin/script'].find((path) => existsSync(path)) ?? null

export interface TerminalOptions extends RunOptions {
  /** 120 by default. */
  readonly columns?: number
  /** Lines; unknown by default. */
  readonly rows?: number
  readonly stdoutTo?: string
}

/**
 * Runs `headcount …` on a terminal; with `stdoutTo`, stdout goes to that file and only stderr to
 * the terminal. What it wrote there is in `stdout`, as a terminal gets it (line ends `\r\n`).
 */
export function headcountOnTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<Ran> {
  const words = [process.execPath, cli, ...args].map(quoted)
  const size = `cols ${options.columns ?? 120} rows ${options.rows ?? 0}`
  const line = `stty ${size}; ${words.join(' ')}${options.stdoutTo === undefined ? '' : ` > ${quoted(options.stdoutTo)}`}`
  return run(scriptPath ?? 'script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    ...options,
    env: { TERM: 'xterm-256color', ...options.env },
  })
}

/** Resolves when it has written this to stdout, or ended without. */
export function untilShown(child: ChildProcess, part: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let shown = ''
  child.stdout?.on('data', (piece: Buffer) => {
    shown += piece.toString()
    if (shown.includes(part)) resolve()
  })
  child.once('close', () => resolve())
  return promise
}

/** A shell's own command line, in the same clean environment; `$HEADCOUNT` stands for the program. */
export function inShell(line: string, options: RunOptions = {}): Promise<Ran> {
  return run(
    '/bin/bash',
    ['--norc', '-c', line.replaceAll('$HEADCOUNT', `${quoted(process.execPath)} ${quoted(cli)}`)],
    options,
  )
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
