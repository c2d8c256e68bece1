import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServedAccount, Store } from './store.ts'

/** A store of one account with one key, such as the sample account. */
export function createSingleStore({ apiKey, account }: { apiKey: string; account: ServedAccount }): Store {
  const expected = digest(apiKey)
  return { accountOf: (key) => (timingSafeEqual(digest(key), expected) ? account : undefined) }
}

/** Digests have one length, so that comparing them takes the same time whatever was sent. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
