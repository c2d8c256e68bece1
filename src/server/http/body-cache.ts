import { LRUCache } from 'lru-cache'
import type { AdmittedRequest } from './admission.ts'

/** The body of a list, or of a page. */
export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The id of the last item when more follow, else null. */
  readonly next: string | null
}

interface CachedBody {
  readonly body: Body
  /** The number of responses that are sending it. Its bytes count once. */
  users: number
  share: Disposable | null
}

const MAX_CACHED_BYTES = 1024 ** 2
/** The memory of an entry besides its body. */
const ENTRY_BYTES = 500

/** A cache of bodies. */
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

    /** A cached body, to be sent. */
    async find(name: string, admitted: AdmittedRequest): Promise<Body | undefined> {
      const kept = all.get(name)
      if (kept === undefined) return undefined
      if (kept.share === null) {
        const share = await admitted.memory(kept.body.bytes.byteLength)
        // Another response may have begun to send it meanwhile.
        if (kept.share === null) kept.share = share
        else share[Symbol.dispose]()
      }
      return use(kept, admitted)
    },

    /** Adds a new body, to be sent. A large one is not cached. */
    add(name: string, body: Body, share: Disposable, admitted: AdmittedRequest): Body {
      const kept = { body, users: 0, share }
      all.set(name, kept)
      return use(kept, admitted)
    },
  }
}
