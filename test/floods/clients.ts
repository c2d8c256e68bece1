/** Clients that read slowly, as a process of their own: it gets a flood, and tells which answers had begun when it is asked. */
import { connect } from 'node:net'
import type { Flood } from './flood.ts'

const DRIP_MS = 10_000
const DRIP_BYTES = 64

const statuses = new Map<string, number>()

process.once('message', (flood) => {
  void send(flood as Flood).then(() => process.send?.('asked'))
  process.on('message', () => process.send?.(Object.fromEntries(statuses)))
})
process.once('disconnect', () => process.exit(0))

async function send({ port, clients, asks }: Flood): Promise<void> {
  const asked = Array.from({ length: clients }, (_, place) => {
    const ask = asks[place % asks.length]
    if (ask === undefined) throw new RangeError('a flood that asks for nothing')
    return readSlowly(port, ask.request, ask.drips)
  })
  await Promise.all(asked)
}

/** Resolves when it has asked. */
function readSlowly(port: number, request: string, drips: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
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
  socket.once('connect', () => socket.write(request, () => resolve()))
  socket
    .on('error', () => {})
    .once('close', () => {
      clearInterval(drip)
      resolve()
    })
  return promise
}
