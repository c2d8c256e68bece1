/** What answers may hold while they are on their way: clients that read slowly leave enough to all others. */
import { createShares, leaveAsMuch, type Holder, type Share } from '../fair-shares.ts'
import { UnavailableError } from '../unavailable.ts'

/** Of all keys; one key may have a third of them, and one account half. Each is a connection: they are answered in turn. */
const MOST_ANSWERS = 1_500
/** Of bodies that are being read, made or sent, beside those that are kept. */
const MOST_BYTES = 48 * 1024 ** 2
const MAX_WAIT_MS = 10_000
const SOON_SECONDS = 1
const RETRY_AFTER_SECONDS = 5

/** An answer that is on its way. */
export interface Admitted {
  /**
   * Waits until there is memory for a part of it.
   *
   * @throws UnavailableError when others do not give back enough in time, or nobody wants it any more
   */
  memory(bytes: number): Promise<Share>
  /** Gives this back when the answer has gone. */
  keep(held: Disposable): void
}

export type Admission = ReturnType<typeof createAdmission>

export function createAdmission() {
  const answers = createShares(MOST_ANSWERS, leaveAsMuch)
  const memory = createShares(MOST_BYTES, leaveAsMuch)

  /**
   * @param until what the answer holds until it has gone
   * @param isWanted whether somebody still waits for it
   * @throws UnavailableError when too many answers to the holder are on their way
   */
  function admit(holder: Holder, until: DisposableStack, isWanted: () => boolean): Admitted {
    const share = answers.tryTake(holder, 1)
    if (share === null) throw tooMany(SOON_SECONDS)
    until.use(share)
    return {
      memory: async (bytes) => {
        const own = await memory.take(holder, bytes, MAX_WAIT_MS)
        if (own !== null && isWanted()) return own
        own?.[Symbol.dispose]()
        throw tooMany(RETRY_AFTER_SECONDS)
      },
      keep: (held) => void until.use(held),
    }
  }

  return { admit }
}

function tooMany(retryAfter: number): UnavailableError {
  const message = 'so many answers to this key are on their way: read them, or try again later'
  return new UnavailableError('too_many_requests', message, retryAfter)
}
