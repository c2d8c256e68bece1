/** A service over a store, listening on loopback until the test ends. */
import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import type { Database } from '../../../src/db/connect.ts'
import { createMirrorStore, type MirrorStoreOptions } from '../../../src/server/stores/mirror/mirror-store.ts'
import { createHttpService, type HttpServiceOptions, type Service } from '../../../src/server/http-service.ts'
import { createMemoryStore, type MemoryAccount } from '../../../src/server/stores/memory-store.ts'
import type { Store } from '../../../src/server/stores/store.ts'

export const singleKey = 'k-2f9c1e0a7b5d'

export interface Listening {
  readonly service: Service
  readonly url: string
  readonly port: number
  /** What the service told of what went wrong. */
  readonly errors: readonly unknown[]
}

export async function listening(store: Store, options: Partial<HttpServiceOptions> = {}): Promise<Listening> {
  const errors: unknown[] = []
  const service = createHttpService({ store, onError: (error) => errors.push(error), ...options })
  onTestFinished(() => service.close())
  const { url, port } = await service.listen({ host: '127.0.0.1', port: 0 })
  return { service, url, port, errors }
}

/** One account in memory, with the key `singleKey`. */
export function singleStore(account: Partial<MemoryAccount> = {}): Store {
  const events = () => [{ id: 'a' }]
  const responses = (id: string) => (id === 'a' ? [{ id: 1 }] : undefined)
  return createMemoryStore({
    apiKey: singleKey,
    account: { email: 'owner@example.org', events, responses, ...account },
  })
}

/** `singleStore` that listens; `get` asks it over kept-alive connections, with its key unless told otherwise. */
export async function startSingle(
  account: Partial<MemoryAccount> = {},
  options: Partial<HttpServiceOptions> = {},
) {
  const started = await listening(singleStore(account), options)
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.destroy())
  const get = async (
    path: string,
    init: { method?: 'GET' | 'HEAD'; headers?: Record<string, string | string[]> } = {},
  ) => {
    const headers = { 'X-API-Key': singleKey }
    const answer = await request(`${started.url}${path}`, { headers, ...init, dispatcher })
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    }
  }
  return { ...started, get }
}

/** The mirror in a database; its store tells the same listener. */
export function mirrorStore(database: Database, options: Partial<MirrorStoreOptions> = {}): Store {
  return createMirrorStore(database, { maxAgeMs: null, holdForMs: 3_600_000, onError: () => {}, ...options })
}
