/** Limits what responses in flight may hold: slow clients leave enough for all others. */
import { FairAllocator, leavesEqualShare, type Requester, type Allocation } from '../fair-allocator.ts'
import { RETRY_SOON_SECONDS, UnavailableError } from '../problems.ts'

/** Of all keys; one key may have a third of them, and one account half. */
const MAX_RESPONSES = 1_500
/** For bodies that are being made or sent, besides the cache. */
const MAX_BYTES = 48 * 1024 ** 2
const MAX_WAIT_MS = 10_000
/** When a key may ask again whose own responses are on their way. */
const AFTER_OWN_SECONDS = 1

/** A response in flight. */
export interface AdmittedRequest {
  /**
   * Waits for memory.
   *
   * @throws UnavailableError when other responses do not release enough in time, or the client has gone
   */
  memory(bytes: number): Promise<Allocation>
  /** Disposes of this when the response has been sent. */
  keep(held: Disposable): void
}

export function createAdmission() {
  const responses = new FairAllocator(MAX_RESPONSES, leavesEqualShare)
  const memory = new FairAllocator(MAX_BYTES, leavesEqualShare)

  /**
   * @param until is disposed of when the response has been sent
   * @param isWanted whether the client still waits
   * @throws UnavailableError when too many responses to the requester are in flight
   */
  return function admit(
    requester: Requester,
    until: DisposableStack,
    isWanted: () => boolean,
  ): AdmittedRequest {
    const share = responses.tryAcquire(requester, /* guard: answers of a key */ 1)
    if (share === null) throw new UnavailableError('too_many_requests', AFTER_OWN_SECONDS)
    until.use(share)
    return {
      memory: async (bytes) => {
        const own = await memory.acquire(requester, /* guard: memory for bodies */ bytes, MAX_WAIT_MS)
        if (own !== null && isWanted()) return own
        own?.[Symbol.dispose]()
        throw new UnavailableError('too_many_requests', RETRY_SOON_SECONDS)
      },
      keep: (held) => void until.use(held),
    }
  }
}
