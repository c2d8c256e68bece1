/** The mirror of a test, served over HTTP on loopback. */
import { connect } from '../../../src/db/connect.ts'
import { createService, type ServiceOptions } from '../../../src/index.ts'
import { createHttpService } from '../../../src/server/http-service.ts'
import { createMemoryStore } from '../../../src/server/stores/memory-store.ts'
import type { MemoryAccount } from '../../../src/server/stores/memory-store.ts'
import { newKey } from '../mirror/new-key.ts'
import { optionOf, type Target } from '../runs/stage.ts'

export interface Serving extends AsyncDisposable {
  /** Ends in `/api/v1`. */
  readonly url: string
  /** What went wrong beside the answers. */
  readonly errors: readonly unknown[]
}

/** @param port of an earlier one, to be found at the same address; 0: any free one */
export async function serve(target: Target, options: ServiceOptions = {}, port = 0): Promise<Serving> {
  const errors: unknown[] = []
  const service = createService({
    ...optionOf(target),
    onError: (error) => errors.push(error),
    ...options,
  })
  const { url } = await service.listen({ host: '127.0.0.1', port })
  return { url, errors, [Symbol.asyncDispose]: () => service.close() }
}

/** An account in memory, served over HTTP on loopback by the service itself. */
export async function serveAccount(
  account: MemoryAccount,
  apiKey: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const service = createHttpService({ store: createMemoryStore({ apiKey, account }) })
  const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
  return { url, [Symbol.asyncDispose]: () => service.close() }
}

/** A new key of an account of this mirror. */
export async function keyOf(target: Target, account = 'default'): Promise<string> {
  await using database = await connect(target)
  return await newKey(database, account)
}
