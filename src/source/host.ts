/**
 * A service as all sources of its origin share it: its connections, the bound on concurrent requests, the learned rate
 * and the pause that it asked for. A run alone is the only user of its host.
 */
import { Semaphore } from '../common/semaphore.ts'
import { createClient, type Client } from './http/client.ts'
import { systemClock } from './throttle/clock.ts'
import { Pauses } from './throttle/pause.ts'
import { Throttle } from './throttle/throttle.ts'

export interface HostOptions {
  readonly origin: string
  /** The maximum of concurrent requests of all sources together. */
  readonly concurrency: number
  /** A silence of a sixth of it counts as a stall. */
  readonly requestTimeoutMs: number
  /** The HTTP proxy that leads to the service; null: none does. */
  readonly proxy: URL | null
  /** Told once, whoever asks the service. */
  readonly log: (level: 'debug' | 'info', message: string, fields?: object) => void
}

export interface Host extends AsyncDisposable {
  readonly client: Client
  readonly permits: Semaphore
  readonly largeListPermits: Semaphore
  readonly pauses: Pauses
  readonly throttle: Throttle
  /** From now on the service is that of several accounts: none has all permits, so that another one finds a permit free. */
  shareAmongAccounts(): void
  /** Calls back when the service begins to slow the requests down, and when that is over. @returns what takes it back */
  onSlowdown(callback: () => void): () => void
}

export function createHost({ origin, concurrency, requestTimeoutMs, proxy, log }: HostOptions): Host {
  const permits = new Semaphore(concurrency)
  const pauses = new Pauses(systemClock)
  const listeners = new Set<() => void>()
  const throttle = new Throttle({
    permits,
    pauses,
    requestTimeoutMs,
    clock: systemClock,
    log: (level, message, fields) => {
      log(level, message, fields)
      if (level === 'info') for (const listener of listeners) listener()
    },
  })
  // One connection more than permits: that of a list that holds the permit for large lists (send-request.ts).
  const client = createClient({ origin, requestTimeoutMs, connections: concurrency + 1, proxy })
  return {
    client,
    permits,
    largeListPermits: new Semaphore(1),
    pauses,
    throttle,
    shareAmongAccounts: () => {
      permits.keepsOneFree = true
      throttle.availability.isShared = true
    },
    onSlowdown: (callback) => {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    [Symbol.asyncDispose]: async () => {
      throttle[Symbol.dispose]()
      await client.close()
    },
  }
}
