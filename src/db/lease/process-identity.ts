/**
 * Which process holds something, so that another one can name it, and can tell when it is gone.
 *
 * A process number alone says nothing: it is used again, another machine has the same ones, and so has every
 * container. It counts only together with the boot and the process namespace it belongs to.
 */
import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { isObject, type JsonValue } from '../../common/json/exact.ts'

/** A process, everywhere and for ever. What a system cannot tell is an empty text. */
export type ProcessIdentity = {
  readonly host: string
  readonly boot_id: string
  readonly pid_namespace: string
  readonly pid: number
  /** When the process started, in the system's own terms (Linux: clock ticks since boot). */
  readonly started: string
}

const run = promisify(execFile)

let known: Promise<ProcessIdentity> | null = null

/** The process that runs this. */
export function currentProcess(): Promise<ProcessIdentity> {
  known ??= describeProcess()
  return known
}

async function describeProcess(): Promise<ProcessIdentity> {
  const [bootId, pidNamespace, started] = await Promise.all([
    readBootId(),
    readNamespace(),
    startOf(process.pid),
  ])
  return {
    host: hostname(),
    boot_id: bootId,
    pid_namespace: pidNamespace,
    pid: process.pid,
    started: started ?? '',
  }
}

/** Whether the holder's process would be seen from here if it lived: same host, boot and process namespace. */
export async function isLocal(holder: ProcessIdentity): Promise<boolean> {
  const here = await currentProcess()
  return (
    holder.host === here.host &&
    holder.boot_id === here.boot_id &&
    // guard: holders elsewhere
    holder.pid_namespace === here.pid_namespace
  )
}

/** Whether the holder's process has surely ended. False also when that cannot be known from here. */
export async function hasExited(holder: ProcessIdentity): Promise<boolean> {
  if (!(await isLocal(holder))) return false
  // guard: dead holders
  const started = await startOf(holder.pid)
  return started === null || (holder.started !== '' && started !== '' && started !== holder.started)
}

/** For messages: `process 4711 on mill`. */
export function formatProcess(holder: ProcessIdentity | null): string {
  return holder === null ? 'an unknown process' : `process ${holder.pid} on ${holder.host}`
}

/** A holder as it was stored; null when it is none. */
export function parseProcessIdentity(value: JsonValue | undefined): ProcessIdentity | null {
  if (!isObject(value)) return null
  const { host, boot_id, pid_namespace, pid, started } = value
  if (typeof host !== 'string' || typeof boot_id !== 'string' || typeof pid_namespace !== 'string')
    return null
  if (typeof pid !== 'number' || typeof started !== 'string') return null
  return { host, boot_id, pid_namespace, pid, started }
}

/** When a process started; null when there is none (or only its remains), '' when that cannot be told. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return isRunning(pid) ? startByPs(pid) : null
  const stat = await textOf(`/proc/${pid}/stat`)
  if (stat === null) return isRunning(pid) ? '' : null
  // The second field is the command in parentheses, and may hold any character: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  return state === 'Z' || state === 'X' ? null : (fields[22 - 3] ?? '')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function startByPs(pid: number): Promise<string> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: 5000 })
    return stdout.trim()
  } catch {
    return ''
  }
}

async function readBootId(): Promise<string> {
  if (process.platform === 'linux') return (await textOf('/proc/sys/kernel/random/boot_id'))?.trim() ?? ''
  if (process.platform !== 'darwin') return ''
  try {
    const { stdout } = await run('sysctl', ['-n', 'kern.bootsessionuuid'], { timeout: 5000 })
    return stdout.trim()
  } catch {
    return ''
  }
}

async function readNamespace(): Promise<string> {
  try {
    return await readlink('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return null
  }
}
