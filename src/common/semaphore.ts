/**
 * Permits that are acquired and released by hand, and that several members share. The next permit goes to the member that
 * holds fewest; of equals, to the one that was served longest ago. The last free permit is only for a member that holds
 * none, as long as there is one: a member whose requests all hang does not keep the others waiting.
 *
 * Not p-limit: it runs functions, and its queue is a linked list, whose old nodes keep alive what newer ones hold until
 * the next full garbage collection.
 */
import { raceAbort } from './abort.ts'

/** Releases the permit; a second call does nothing. */
export type Release = () => void

/** A user of the permits. Disposed of, it no longer counts as one; what it holds it still releases. */
export interface Member extends Disposable {
  /** Waits for a permit. @throws the signal's reason when it is aborted first; no permit stays taken */
  acquire(signal: AbortSignal): Promise<Release>
}

interface MemberState {
  /** It never holds more. */
  readonly max: number
  readonly waiting: ((release: Release) => void)[]
  taken: number
  /** The number of its last permit, over all members. */
  served: number
}

export class Semaphore {
  /** Whether no member may hold all permits, also while it is alone, unless there is but one. */
  keepsOneFree = false
  readonly #members = new Set<MemberState>()
  #concurrency: number
  #taken = 0
  #served = 0

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  get concurrency(): number {
    return this.#concurrency
  }

  /** With fewer permits than are taken, none is given until enough were released. */
  set concurrency(concurrency: number) {
    this.#concurrency = concurrency
    this.#giveNext()
  }

  /** @param max the most permits that the member may hold */
  join(max = Infinity): Member {
    const member: MemberState = { max, waiting: [], taken: 0, served: 0 }
    this.#members.add(member)
    return {
      acquire: (signal) => this.#acquire(member, signal),
      [Symbol.dispose]: () => {
        this.#members.delete(member)
        this.#giveNext()
      },
    }
  }

  async #acquire(member: MemberState, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#mayTake(member)) return this.#take(member)
    const { promise, resolve } = Promise.withResolvers<Release>()
    member.waiting.push(resolve)
    try {
      return await raceAbort(promise, signal)
    } catch (error) {
      const index = member.waiting.indexOf(resolve)
      if (index >= 0) member.waiting.splice(index, 1)
      // The permit arrived at the moment of the abort.
      else (await promise)()
      throw error
    }
  }

  #mayTake(member: MemberState): boolean {
    const left = this.#concurrency - this.#taken
    // guard: permit kept free for others
    const most = this.keepsOneFree ? Math.max(1, this.#concurrency - 1) : Infinity
    if (left <= 0 || member.taken >= Math.min(member.max, most)) return false
    // guard: last permit for others
    return left > 1 || member.taken === 0 || !this.#isAnyWithout()
  }

  #isAnyWithout(): boolean {
    for (const { taken } of this.#members) if (taken === 0) return true
    return false
  }

  #take(member: MemberState): Release {
    let isTaken = true
    this.#taken += 1
    member.taken += 1
    member.served = this.#served += 1
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken -= 1
      member.taken -= 1
      this.#giveNext()
    }
  }

  #giveNext(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      next.waiting.shift()?.(this.#take(next))
    }
  }

  #next(): MemberState | null {
    let next: MemberState | null = null
    for (const member of this.#members) {
      if (member.waiting.length === 0 || !this.#mayTake(member)) continue
      // guard: fewest permits first
      if (next === null || compare(member, next) < 0) next = member
    }
    return next
  }
}

function compare(one: MemberState, other: MemberState): number {
  return one.taken - other.taken || one.served - other.served
}
