import type { ServerResponse } from 'node:http'

const BASE_MS = 60_000
/** As a run allows the service: a drip ends, a large list can finish. */
const BYTES_PER_SECOND = 256 * 1024
const LOOK_MS = 1000

/** Aborts when a client takes longer over an answer than it may: the answer holds a connection to the database. */
export function startAllowance(outgoing: ServerResponse): Disposable & { readonly signal: AbortSignal } {
  const slow = new AbortController()
  const began = performance.now()
  const before = outgoing.socket?.bytesWritten ?? 0
  const timer = setInterval(() => {
    const sent = (outgoing.socket?.bytesWritten ?? before) - before
    if (performance.now() - began > BASE_MS + (sent / BYTES_PER_SECOND) * 1000) slow.abort()
  }, LOOK_MS)
  return { signal: slow.signal, [Symbol.dispose]: () => clearInterval(timer) }
}
