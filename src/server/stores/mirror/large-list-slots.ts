import { createShares, whatIsThere, type Holder, type Share } from '../../fair-shares.ts'
import { UnavailableError } from '../../unavailable.ts'

/** A connection to the database for a large list, as long as its client takes, or until others need it more. */
export interface Place extends Disposable {
  /** Aborted when it is to be given back. */
  readonly isNeeded: AbortSignal
}

/** Places for large lists. Whoever has one gives it to an account, or a key of the same account, that has fewer. */
export interface Places {
  /** Null when all are taken. */
  tryTake(holder: Holder): Place | null
  /**
   * Waits for one.
   *
   * @throws UnavailableError when none is given back in time
   */
  take(holder: Holder): Promise<Place>
  /**
   * Waits for the turn to begin a list: whoever asks for one need not wait until another's hundred are read.
   *
   * @throws UnavailableError when it does not come in time
   */
  turn(holder: Holder): Promise<Disposable>
}

/** Lists that are begun at once: the connections that are there do no more. */
const BEGUN_AT_ONCE = 3

const MAX_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 30
/** In which most large lists are read. */
const SHORTEST_STAY_MS = 500

interface Taken {
  readonly holder: Holder
  readonly since: number
  readonly leaving: AbortController
}

export function createPlaces(count: number): Places {
  const shares = createShares(count, whatIsThere)
  const turns = createShares(BEGUN_AT_ONCE, whatIsThere)
  /** In the order in which they were taken. */
  const taken = new Set<Taken>()
  let timer: NodeJS.Timeout | undefined

  /** Asks for a place back when somebody waits who has fewer: the one that was had longest. */
  function giveWay(): void {
    clearTimeout(timer)
    const next = shares.next
    if (next === null || [...taken].some(({ leaving }) => leaving.signal.aborted)) return
    const one = [...taken].find(({ holder }) => hasMore(holder, next))
    if (one === undefined) return
    const stays = one.since + SHORTEST_STAY_MS - performance.now()
    if (stays > 0) timer = setTimeout(giveWay, stays)
    else one.leaving.abort()
  }

  function hasMore(one: Holder, other: Holder): boolean {
    const [has, lacks] = [shares.heldBy(one), shares.heldBy(other)]
    return one.account === other.account ? has.key > lacks.key : has.account > lacks.account
  }

  function placeOf(holder: Holder, share: Share): Place {
    const one: Taken = { holder, since: performance.now(), leaving: new AbortController() }
    taken.add(one)
    // Others may still wait.
    giveWay()
    return {
      isNeeded: one.leaving.signal,
      [Symbol.dispose]: () => {
        taken.delete(one)
        share[Symbol.dispose]()
        giveWay()
      },
    }
  }

  return {
    tryTake(holder) {
      const share = shares.tryTake(holder, 1)
      return share === null ? null : placeOf(holder, share)
    },
    async take(holder) {
      const waiting = shares.take(holder, 1, MAX_WAIT_MS)
      giveWay()
      const share = await waiting
      if (share === null) throw tooLate()
      return placeOf(holder, share)
    },
    async turn(holder) {
      const share = await turns.take(holder, 1, MAX_WAIT_MS)
      if (share === null) throw tooLate()
      return share
    },
  }
}

function tooLate(): UnavailableError {
  const message = 'other lists are being read: try again later'
  return new UnavailableError('not_ready', message, RETRY_AFTER_SECONDS)
}
