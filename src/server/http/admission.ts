/** What answers may hold while they are on their way: clients that read slowly leave enough to all others. */
import { FairAllocator, leavesEqualShare, type Requester, type Allocation } from '../fair-allocator.ts'
import { UnavailableError } from '../problems.ts'

/** Of all keys; one key may have a third of them, and one account half. Each is a connection: they are answered in turn. */
const MAX_RESPONSES = 1_500
/** Of bodies that are being read, made or sent, beside those that are kept. */
const MAX_BYTES = 48 * 1024 ** 2
const MAX_WAIT_MS = 10_000
const RETRY_SOON_SECONDS = 1
const RETRY_AFTER_SECONDS = 5

/** An answer that is on its way. */
export interface AdmittedRequest {
  /**
   * Waits until there is memory for a part of it.
   *
   * @throws UnavailableError when others do not give back enough in time, or nobody wants it any more
   */
  memory(bytes: number): Promise<Allocation>
  /** Gives this back when the answer has gone. */
  keep(held: Disposable): void
}

export type Admission = ReturnType<typeof createAdmission>

export function createAdmission() {
  const responses = new FairAllocator(MAX_RESPONSES, leavesEqualShare)
  const memory = new FairAllocator(MAX_BYTES, leavesEqualShare)

  /**
   * @param until what the answer holds until it has gone
   * @param isWanted whether somebody still waits for it
   * @throws UnavailableError when too many answers to the requester are on their way
   */
  function admit(requester: Requester, until: DisposableStack, isWanted: () => boolean): AdmittedRequest {
    const share = responses.tryAcquire(requester, /* guard: answers of a key */ 1)
    if (share === null) throw new UnavailableError('too_many_requests', RETRY_SOON_SECONDS)
    until.use(share)
    return {
      memory: async (bytes) => {
        const own = await memory.acquire(requester, /* guard: memory for bodies */ bytes, MAX_WAIT_MS)
        if (own !== null && isWanted()) return own
        own?.[Symbol.dispose]()
        throw new UnavailableError('too_many_requests', RETRY_AFTER_SECONDS)
      },
      keep: (held) => void until.use(held),
    }
  }

  return { admit }
}
