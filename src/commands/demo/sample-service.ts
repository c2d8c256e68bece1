import { randomUUID } from 'node:crypto'
import { createSampleAccount, type SampleAccount } from './account/account.ts'
import { createHttpService } from '../../server/http-service.ts'
import { createMemoryStore } from '../../server/stores/memory-store.ts'

export interface SampleService extends AsyncDisposable {
  readonly account: SampleAccount
  readonly url: string
  readonly apiKey: string
}

/** One whose newest replies come in many scripts, to show that all of them stay aligned. */
const SEED = 193

/** The service of the specification on a free port of this machine, with the sample account and a key of its own. */
export async function openSampleService(): Promise<SampleService> {
  const account = createSampleAccount({ seed: SEED, now: new Date() })
  const apiKey = randomUUID()
  const service = createHttpService({ store: createMemoryStore({ apiKey, account }) })
  const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
  return { account, url, apiKey, [Symbol.asyncDispose]: () => service.close() }
}
