import { LRUCache } from 'lru-cache'
import type { AdmittedRequest } from './admission.ts'

/** The body of a list, or of a part of it. */
export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The id of the last item when more follow, else null. */
  readonly next: string | null
}

interface CachedBody {
  readonly body: Body
  /** How many answers are sending it. They send the same bytes, which count once. */
  users: number
  share: Disposable | null
}

const MAX_CACHED_BYTES = 1024 ** 2
/** What an entry costs beside its body. */
const ENTRY_BYTES = 500

/**
 * Bodies that were made for one request and serve the next ones.
 *
 * @param keptBytes how much of what was answered is kept in memory, in bytes
 */
export function createBodyCache(keptBytes: number) {
  const all = new LRUCache<string, CachedBody>({
    maxSize: Math.max(keptBytes, 1),
    maxEntrySize: MAX_CACHED_BYTES,
    sizeCalculation: ({ body }) => body.bytes.byteLength + ENTRY_BYTES,
  })

  function use(kept: CachedBody, admitted: AdmittedRequest): Body {
    kept.users += 1
    admitted.keep({
      [Symbol.dispose]: () => {
        kept.users -= 1
        if (kept.users > 0) return
        kept.share?.[Symbol.dispose]()
        kept.share = null
      },
    })
    return kept.body
  }

  return {
    has: (name: string) => all.has(name),

    /** One that is kept, to be sent. */
    async find(name: string, admitted: AdmittedRequest): Promise<Body | undefined> {
      const kept = all.get(name)
      if (kept === undefined) return undefined
      if (kept.share === null) {
        const share = await admitted.memory(kept.body.bytes.byteLength)
        // Another answer may have begun to send it meanwhile.
        if (kept.share === null) kept.share = share
        else share[Symbol.dispose]()
      }
      return use(kept, admitted)
    },

    /** One that was just made, to be sent, and kept when it is small. */
    add(name: string, body: Body, share: Disposable, admitted: AdmittedRequest): Body {
      const kept = { body, users: 0, share }
      all.set(name, kept)
      return use(kept, admitted)
    },
  }
}
