/**
 * Something of which there is only so much, shared between accounts and the keys of an account: whoever has little of it
 * comes before whoever has much.
 */

/** Who has a share. */
export interface Holder {
  readonly account: string
  readonly key: string
}

export interface Share extends Disposable {
  /** It turned out to be more, or less; what is had already is never refused. */
  resize(amount: number): void
}

export interface Shares {
  /** Null when there is none for it now; it overtakes those who wait for more. */
  tryTake(holder: Holder, amount: number): Share | null
  /** Waits for it so long; null when it did not come. */
  take(holder: Holder, amount: number, waitMs: number): Promise<Share | null>
  /** How much the account and the key of a holder have. */
  heldBy(holder: Holder): Held
  /** Who is next of those who wait. */
  readonly next: Holder | null
}

export interface Held {
  readonly account: number
  readonly key: number
}

/** Whether someone who has so much may have more, when so much is left. */
export type Rule = (held: Held, left: number, amount: number) => boolean

/**
 * As much as is left for others when one has it: one key gets a third of all, one account half, two accounts a third
 * each, and there is always something for the next one who comes.
 */
export const leaveAsMuch: Rule = ({ account, key }, left, amount) => key + amount <= left - account

/** As long as there is any: somebody sees to it that those who have much give it back. */
export const whatIsThere: Rule = (_, left, amount) => amount <= left

interface Waiting {
  readonly holder: Holder
  readonly amount: number
  readonly give: (share: Share) => void
}

export function createShares(total: number, rule: Rule): Shares {
  let left = total
  const accounts = new Tally()
  const keys = new Tally()
  /** By key, in the order in which they came. */
  const waiting = new Map<string, Set<Waiting>>()

  const heldBy = ({ account, key }: Holder): Held => ({ account: accounts.of(account), key: keys.of(key) })
  const fits = ({ holder, amount }: Pick<Waiting, 'holder' | 'amount'>) => rule(heldBy(holder), left, amount)

  function add({ account, key }: Holder, amount: number): void {
    left -= amount
    accounts.add(account, amount)
    keys.add(key, amount)
  }

  function give(holder: Holder, amount: number): Share {
    let own = amount
    add(holder, own)
    accounts.serve(holder.account)
    keys.serve(holder.key)
    const resize = (to: number) => {
      const more = to - own
      own = to
      add(holder, more)
      if (more < 0) giveToWaiting()
    }
    return { resize, [Symbol.dispose]: () => resize(0) }
  }

  /** The first of each key that waits, those who have least before the others. */
  function inOrder(): readonly Waiting[] {
    if (waiting.size === 0) return []
    const firsts = [...waiting.values()].flatMap(([first]) => first ?? [])
    return firsts.toSorted(
      ({ holder: a }, { holder: b }) => accounts.compare(a.account, b.account) || keys.compare(a.key, b.key),
    )
  }

  function giveToWaiting(): void {
    for (let next = inOrder().find(fits); next !== undefined; next = inOrder().find(fits)) {
      leave(next)
      next.give(give(next.holder, next.amount))
    }
  }

  function leave(one: Waiting): void {
    const ofKey = waiting.get(one.holder.key)
    ofKey?.delete(one)
    if (ofKey?.size === 0) waiting.delete(one.holder.key)
  }

  function tryTake(holder: Holder, amount: number): Share | null {
    return fits({ holder, amount }) ? give(holder, amount) : null
  }

  async function take(holder: Holder, amount: number, waitMs: number): Promise<Share | null> {
    // Nobody overtakes those of the same key.
    const share = waiting.has(holder.key) ? null : tryTake(holder, amount)
    if (share !== null) return share
    const { promise, resolve } = Promise.withResolvers<Share | null>()
    const one: Waiting = { holder, amount, give: resolve }
    const ofKey = waiting.get(holder.key) ?? new Set()
    waiting.set(holder.key, ofKey.add(one))
    const timer = setTimeout(() => {
      leave(one)
      resolve(null)
    }, waitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    tryTake,
    take,
    heldBy,
    get next() {
      return inOrder()[0]?.holder ?? null
    },
  }
}

/** What each of some has, and when it was last given something. */
class Tally {
  readonly #held = new Map<string, number>()
  /** In the order in which they were served; those who were not for long are forgotten. */
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
    if (this.#served.size > MOST_REMEMBERED && oldest !== undefined) this.#served.delete(oldest)
  }

  /** Less is first; of those who have the same, who was served longer ago. */
  compare(a: string, b: string): number {
    return this.of(a) - this.of(b) || (this.#served.get(a) ?? 0) - (this.#served.get(b) ?? 0)
  }
}

const MOST_REMEMBERED = 1_000
