import { FairAllocator, whileAvailable, type Requester, type Allocation } from '../../fair-allocator.ts'
import { AFTER_OTHERS_SECONDS, UnavailableError } from '../../problems.ts'

/** A database connection for a large list, until the response has been sent or another requester needs it more. */
export interface LargeListSlot extends Disposable {
  /** Aborted when the slot must be released. */
  readonly reclaimed: AbortSignal
}

/** Slots for large lists. A holder must release a slot to an account, or a key of its account, that has fewer. */
export interface LargeListSlots {
  /** Null when all are taken. */
  tryAcquire(requester: Requester): LargeListSlot | null
  /** Waits for a slot. @throws UnavailableError when none is released in time */
  acquire(requester: Requester): Promise<LargeListSlot>
  /**
   * Waits for permission to start reading a list, fairly: nobody waits for the hundred lists of another requester.
   *
   * @throws UnavailableError when it does not come in time
   */
  acquireStart(requester: Requester): Promise<Disposable>
}

/** As many as there are connections for it. */
const MAX_STARTING = 3

const MAX_WAIT_MS = 30_000
/** Most large lists are read within this time. */
const MIN_HOLD_MS = 500

interface HeldSlot {
  readonly requester: Requester
  readonly since: number
  readonly reclaim: AbortController
}

export function createLargeListSlots(count: number): LargeListSlots {
  const shares = new FairAllocator(count, whileAvailable)
  const starts = new FairAllocator(MAX_STARTING, whileAvailable)
  /** The oldest first. */
  const taken = new Set<HeldSlot>()
  let timer: NodeJS.Timeout | undefined

  /** Reclaims the oldest slot of a requester that has more than the first one in the queue. */
  function reclaimOne(): void {
    clearTimeout(timer)
    const next = shares.nextWaiting
    if (next === null || [...taken].some(({ reclaim }) => reclaim.signal.aborted)) return
    const one = [...taken].find(({ requester }) => hasMore(requester, next))
    if (one === undefined) return
    const stays = one.since + MIN_HOLD_MS - performance.now()
    if (stays > 0) timer = setTimeout(reclaimOne, stays)
    // guard: places given way
    else one.reclaim.abort()
  }

  function hasMore(one: Requester, other: Requester): boolean {
    const [has, lacks] = [shares.usageOf(one), shares.usageOf(other)]
    return one.account === other.account ? has.key > lacks.key : has.account > lacks.account
  }

  function slotFor(requester: Requester, share: Allocation): LargeListSlot {
    const one: HeldSlot = { requester, since: performance.now(), reclaim: new AbortController() }
    taken.add(one)
    // Others may still wait.
    reclaimOne()
    return {
      reclaimed: one.reclaim.signal,
      [Symbol.dispose]: () => {
        taken.delete(one)
        share[Symbol.dispose]()
        reclaimOne()
      },
    }
  }

  return {
    tryAcquire(requester) {
      const share = shares.tryAcquire(requester, 1)
      return share === null ? null : slotFor(requester, share)
    },
    async acquire(requester) {
      const waiting = shares.acquire(requester, 1, MAX_WAIT_MS)
      reclaimOne()
      return slotFor(requester, inTime(await waiting))
    },
    async acquireStart(requester) {
      return inTime(await starts.acquire(requester, 1, MAX_WAIT_MS))
    },
  }
}

function inTime(share: Allocation | null): Allocation {
  if (share !== null) return share
  throw new UnavailableError('not_ready', AFTER_OTHERS_SECONDS, 'other lists are being read: try again later')
}
