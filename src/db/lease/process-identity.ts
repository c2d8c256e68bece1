/**
 * The identity of a process that holds a lock: other processes can name it, and can see whether it has exited.
 *
 * A process id alone is not enough: ids are reused, and every machine and container has the same ones. It is valid only
 * with its boot and its process namespace.
 */
import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { errorCode } from '../../common/error-code.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'

/** Unique over all machines and boots. A value that the system does not provide is an empty text. */
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

export function currentProcess(): Promise<ProcessIdentity> {
  known ??= describeProcess()
  return known
}

async function describeProcess(): Promise<ProcessIdentity> {
  const [bootId, pidNamespace, started] = await Promise.all([
    readBootId(),
    readlink('/proc/self/ns/pid').catch(() => ''),
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

/** Whether a live holder would be visible from here: same host, boot and process namespace. */
export async function isLocal(holder: ProcessIdentity): Promise<boolean> {
  const here = await currentProcess()
  return (
    holder.host === here.host &&
    holder.boot_id === here.boot_id &&
    // guard: holders elsewhere
    holder.pid_namespace === here.pid_namespace
  )
}

/** Whether the holder has certainly exited. False also when that is not visible from here. */
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

/** Parses a stored holder; null when it is invalid. */
export function parseProcessIdentity(value: JsonValue | undefined): ProcessIdentity | null {
  if (!isObject(value)) return null
  const { host, boot_id, pid_namespace, pid, started } = value
  if (typeof host !== 'string' || typeof boot_id !== 'string' || typeof pid_namespace !== 'string')
    return null
  if (typeof pid !== 'number' || typeof started !== 'string') return null
  return { host, boot_id, pid_namespace, pid, started }
}

/** When a process started; null when it does not exist or is a zombie, '' when the system does not say. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux')
    return isRunning(pid) ? outputOf('ps', '-o', 'lstart=', '-p', String(pid)) : null
  const stat = await textOf(`/proc/${pid}/stat`)
  if (stat === null) return isRunning(pid) ? '' : null
  // The second field is the command in parentheses and may contain any character: fields count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  return state === 'Z' || state === 'X' ? null : (fields[22 - 3] ?? '')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

async function readBootId(): Promise<string> {
  if (process.platform === 'linux') return (await textOf('/proc/sys/kernel/random/boot_id'))?.trim() ?? ''
  return process.platform === 'darwin' ? outputOf('sysctl', '-n', 'kern.bootsessionuuid') : ''
}

/** A terminal and cron, in whatever language and time zone, get the same text: by another one a process would count as gone. */
const PLAIN = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C', TZ: 'UTC' }

/** What a program of the system prints; empty when it fails. */
async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args, { timeout: 5000, env: PLAIN }).catch(() => ({ stdout: '' }))
  return stdout.trim()
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}
