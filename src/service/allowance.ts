import type { ServerResponse } from 'node:http'

/** How long a client may take over an answer: so long, and longer for what it has taken. */
export interface Allowance {
  readonly baseMs: number
  readonly bytesPerSecond: number
}

/** As a run allows the service: a drip ends, a large list can finish. */
export const ALLOWANCE: Allowance = { baseMs: 60_000, bytesPerSecond: 256 * 1024 }

const LOOK_MS = 1000

/** Aborts when a client takes longer over an answer than it may: the answer holds a connection to the database. */
export function startAllowance(
  outgoing: ServerResponse,
  { baseMs, bytesPerSecond }: Allowance,
): Disposable & { readonly signal: AbortSignal } {
  const slow = new AbortController()
  const began = performance.now()
  const before = outgoing.socket?.bytesWritten ?? 0
  const look = () => {
    const sent = (outgoing.socket?.bytesWritten ?? before) - before
    if (performance.now() - began > baseMs + (sent / bytesPerSecond) * 1000) slow.abort()
  }
  const timer = setInterval(look, Math.min(LOOK_MS, baseMs))
  return { signal: slow.signal, [Symbol.dispose]: () => clearInterval(timer) }
}
