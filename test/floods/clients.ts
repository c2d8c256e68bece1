/** Clients that read slowly, as a process of their own: it gets a flood, and tells which answers had begun when it is asked. */
import { connect } from 'node:net'
import type { Flood } from './flood.ts'

const DRIP_MS = 10_000
const DRIP_BYTES = 64

const statuses = new Map<string, number>()

process.once('message', (flood) => {
  send(flood as Flood)
  process.on('message', () => process.send?.(Object.fromEntries(statuses)))
})
process.once('disconnect', () => process.exit(0))

function send({ port, clients, asks }: Flood): void {
  for (let place = 0; place < clients; place += 1) {
    const ask = asks[place % asks.length]
    if (ask === undefined) throw new RangeError('a flood that asks for nothing')
    readSlowly(port, ask.request, ask.drips)
  }
}

function readSlowly(port: number, request: string, drips: boolean): void {
  const buffer = Buffer.alloc(DRIP_BYTES)
  let isFirst = true
  const callback = (bytes: number) => {
    const status = buffer.toString('latin1', 9, Math.min(12, bytes))
    if (isFirst) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    isFirst = false
    // Nothing more until it is resumed.
    return false
  }
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } })
  const drip = drips ? setInterval(() => socket.resume(), DRIP_MS) : undefined
  socket.once('connect', () => socket.write(request))
  socket.on('error', () => {}).once('close', () => clearInterval(drip))
}
