/**
 * Loaded into every measured process before its program (`node --import`): tells what the process cost, when it ends,
 * on the file descriptor that its parent opened for that. The program knows nothing of it.
 */
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { COST_DESCRIPTOR, PREPARED } from './cost-report.ts'
import type { Told } from './cost-report.ts'

const moments: { begun: number; connecting: number | null; asking: number | null } = {
  begun: Date.now(),
  connecting: null,
  asking: null,
}

// The first connection is the database's: drivers know no channel to listen on.
const connect = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket
Reflect.set(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]): Socket {
  moments.connecting ??= Date.now()
  Reflect.set(Socket.prototype, 'connect', connect)
  return Reflect.apply(connect, this, args)
})
subscribe('undici:request:create', () => {
  moments.asking ??= Date.now()
})

let preparation = { user: 0, system: 0 }
process.on(PREPARED, () => {
  preparation = process.cpuUsage()
})

process.once('exit', () => {
  const { user, system } = process.cpuUsage(preparation)
  const told: Told = { ...moments, ended: Date.now(), cpuMs: (user + system) / 1000, peakBytes: peakBytes() }
  writeSync(COST_DESCRIPTOR, JSON.stringify(told))
})

/**
 * The peak of this process. `maxRSS` would do, but that Linux hands it down from the parent that started us,
 * so that a small process looks as large as a large parent.
 */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
