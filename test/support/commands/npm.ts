/** npm as a user calls it, from the cache of the machine where it can. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Ran } from './command.ts'

export const projectFolder = join(import.meta.dirname, '../../..')

/** What outer scripts of npm tell inner ones would make an inner npm look at the outer package. */
const ofOuterNpm = /^(npm_(package|lifecycle|command|execpath|node_execpath|config_local_prefix)|INIT_CWD$)/

/** The environment of the tests with this Node first on the path, for programs that look for `node`. */
export function environment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !ofOuterNpm.test(name))
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), PATH, npm_config_prefer_offline: 'true', npm_config_audit: 'false' }
}

/** Runs a line of shell and tells how it ended. */
export async function inShell(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 120_000,
): Promise<Ran> {
  const child = spawn('/bin/sh', ['-c', line], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  })
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const [code]: (number | null)[] = await once(child, 'close')
  return { code: code ?? null, stdout: await stdout, stderr: await stderr }
}

/** Runs a line of shell. @returns its stdout; @throws with all it wrote when it fails. */
export async function shell(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await inShell(line, cwd, env)
  if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

/** A copy of the project as it stands, without what is installed or built. */
export async function copyProject(to: string): Promise<void> {
  const left = new Set(['node_modules', 'dist', '.git'])
  await cp(projectFolder, to, { recursive: true, filter: (path) => !left.has(basename(path)) })
}
