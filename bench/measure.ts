import { readFileSync } from 'node:fs'

/** What a piece of work cost the process that did it. */
export interface Cost {
  readonly ms: number
  /** User and system time of all threads of the process; the database server's is not in it. */
  readonly cpuMs: number
  /** Most memory that the process ever had resident, from its start on. */
  readonly peakBytes: number
}

/** Does the work and says what it cost. For a process that does nothing else: its peak is never taken back. */
export async function measure<T>(work: () => Promise<T>): Promise<Cost & { readonly result: T }> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const result = await work()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000, peakBytes: peakBytes(), result }
}

/**
 * The peak of this process. `maxRSS` would do, but that Linux hands it down from the parent that started us,
 * so that a small process looks as large as a large parent.
 */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
