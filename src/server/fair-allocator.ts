import { withinTime } from '../common/abort.ts'

/**
 * Shares a limited resource between accounts and the keys of an account: the requester that holds less comes first.
 */

export interface Requester {
  readonly account: string
  readonly key: string
}

export interface Allocation extends Disposable {
  /** Never fails: the memory, for example, is in use already. */
  resize(amount: number): void
}

export interface Usage {
  readonly account: number
  readonly key: number
}

/** Whether a requester with this usage may get the amount when so much is left. */
type AllocationRule = (held: Usage, left: number, amount: number) => boolean

/**
 * Always leaves a share for the next requester: one key gets a third of the total, one account half, two accounts a
 * third each.
 */
export const leavesEqualShare: AllocationRule = ({ account, key }, left, amount) =>
  // guard: as much for others
  key + amount <= left - account

/** Whatever is left. The caller makes requesters with much give some back. */
export const whileAvailable: AllocationRule = (_, left, amount) => amount <= left

interface Waiting {
  readonly requester: Requester
  readonly amount: number
  readonly give: (share: Allocation) => void
}

export class FairAllocator {
  #left: number
  readonly #rule: AllocationRule
  readonly #accounts = new UsageCounter()
  readonly #keys = new UsageCounter()
  /** By key, in order of arrival. */
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(total: number, rule: AllocationRule) {
    this.#left = total
    this.#rule = rule
  }

  /** Null when too little is left. It overtakes requests that wait for more. */
  tryAcquire(requester: Requester, amount: number): Allocation | null {
    return this.#fits({ requester, amount }) ? this.#allocate(requester, amount) : null
  }

  /** Waits for so many ms; then null. */
  async acquire(requester: Requester, amount: number, waitMs: number): Promise<Allocation | null> {
    // A request does not overtake others of the same key.
    const share = this.#waiting.has(requester.key) ? null : this.tryAcquire(requester, amount)
    if (share !== null) return share
    const { promise, resolve } = Promise.withResolvers<Allocation | null>()
    const one: Waiting = { requester, amount, give: resolve }
    const ofKey = this.#waiting.get(requester.key) ?? new Set()
    this.#waiting.set(requester.key, ofKey.add(one))
    return withinTime(promise, waitMs, () => {
      this.#leave(one)
      return null
    })
  }

  usageOf({ account, key }: Requester): Usage {
    return { account: this.#accounts.of(account), key: this.#keys.of(key) }
  }

  /** The first requester in the queue. */
  get nextWaiting(): Requester | null {
    return this.#firstsInOrder()[0]?.requester ?? null
  }

  #fits({ requester, amount }: Pick<Waiting, 'requester' | 'amount'>): boolean {
    return this.#rule(this.usageOf(requester), this.#left, amount)
  }

  #allocate(requester: Requester, amount: number): Allocation {
    let own = amount
    this.#add(requester, own)
    this.#accounts.serve(requester.account)
    this.#keys.serve(requester.key)
    const resize = (to: number) => {
      const more = to - own
      own = to
      this.#add(requester, more)
      if (more < 0) this.#serveWaiting()
    }
    return { resize, [Symbol.dispose]: () => resize(0) }
  }

  #add({ account, key }: Requester, amount: number): void {
    this.#left -= amount
    this.#accounts.add(account, amount)
    this.#keys.add(key, amount)
  }

  /** The first request of each key, those with the lowest usage first. */
  #firstsInOrder(): readonly Waiting[] {
    if (this.#waiting.size === 0) return []
    const firsts = [...this.#waiting.values()].flatMap(([first]) => first ?? [])
    return firsts.toSorted(
      ({ requester: a }, { requester: b }) =>
        this.#accounts.compare(a.account, b.account) || this.#keys.compare(a.key, b.key),
    )
  }

  #serveWaiting(): void {
    const next = () => this.#firstsInOrder().find((one) => this.#fits(one))
    for (let one = next(); one !== undefined; one = next()) {
      this.#leave(one)
      one.give(this.#allocate(one.requester, one.amount))
    }
  }

  #leave(one: Waiting): void {
    const ofKey = this.#waiting.get(one.requester.key)
    ofKey?.delete(one)
    if (ofKey?.size === 0) this.#waiting.delete(one.requester.key)
  }
}

/** The usage by name, and the order in which names were last served. */
class UsageCounter {
  readonly #held = new Map<string, number>()
  /** In order of service; the oldest entries are dropped. */
  readonly #served = new Map<string, number>()
  #serving = 0

  of(name: string): number {
    return this.#held.get(name) ?? 0
  }

  add(name: string, amount: number): void {
    const held = this.of(name) + amount
    if (held === 0) this.#held.delete(name)
    else this.#held.set(name, held)
  }

  serve(name: string): void {
    this.#served.delete(name)
    this.#served.set(name, (this.#serving += 1))
    const [oldest] = this.#served.keys()
    if (this.#served.size > MAX_REMEMBERED && oldest !== undefined) this.#served.delete(oldest)
  }

  /** By usage; with equal usage the one that was served longer ago comes first. */
  compare(a: string, b: string): number {
    return this.of(a) - this.of(b) || (this.#served.get(a) ?? 0) - (this.#served.get(b) ?? 0)
  }
}

const MAX_REMEMBERED = 1_000
