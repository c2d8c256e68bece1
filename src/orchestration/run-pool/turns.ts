/**
 * The turns of runs: at most so many at once, one at a time for an account. The next turn goes to the host with the fewest
 * runs under way; of equals, to the one that was served longest ago. The last free turn is only for a host without a run,
 * as long as there is one. Within a host the accounts take turns in the order in which they came; those whose last run got
 * no answer come last, so that each account of a host that is down is tried.
 */
import { raceAbort } from '../../common/abort.ts'
import type { Release } from '../../common/semaphore.ts'

export interface TurnsOptions {
  /** At most so many at once. */
  readonly runs: number
  /** Whether a host may have another run beside those that it has: it answers, and asks for no pause. */
  readonly isOpen: (host: string) => boolean
  /** The number of the last run of an account that got no answer; 0: none. Those that failed longest ago are tried first. */
  readonly lastFailure: (host: string, account: string) => number
}

/** A host without a turn for so long may have no account any more: no turn is kept free for it. */
const FORGET_AFTER_MS = 60 * 60_000

interface Waiting {
  readonly give: (release: Release) => void
  readonly fail: (error: Error) => void
}

interface HostTurns {
  running: number
  /** The number of its last turn, over all hosts. */
  served: number
  /** When it was used last, by the clock of `performance.now()`. */
  usedAt: number
  /** By account, in the order of service. */
  readonly waiting: Map<string, Waiting[]>
}

export class Turns {
  readonly #options: TurnsOptions
  readonly #hosts = new Map<string, HostTurns>()
  readonly #busyAccounts = new Set<string>()
  #running = 0
  #hostsRunning = 0
  #served = 0

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Waits for a turn. @throws the signal's reason, or what `failWaiting` gives */
  async take(host: string, account: string, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Release>()
    const waiting: Waiting = { give: resolve, fail: reject }
    const turns = this.#turnsOf(host)
    const ofAccount = turns.waiting.get(account) ?? []
    turns.waiting.set(account, [...ofAccount, waiting])
    this.update()
    try {
      return await raceAbort(promise, signal)
    } catch (error) {
      if (!this.#leave(turns, account, waiting)) promise.then((release) => release(), ignore)
      throw error
    }
  }

  /** Gives the turns that may be given now, as when a host answers again. */
  update(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) this.#give(next.turns, next.account)
  }

  /** Those who wait for a turn at this host fail, each with its own error. */
  failWaiting(host: string, errorOf: (account: string) => Error): void {
    const { waiting } = this.#turnsOf(host)
    const failing = [...waiting]
    waiting.clear()
    for (const [account, all] of failing) for (const { fail } of all) fail(errorOf(account))
  }

  #turnsOf(host: string): HostTurns {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const added: HostTurns = { running: 0, served: 0, usedAt: performance.now(), waiting: new Map() }
    this.#hosts.set(host, added)
    return added
  }

  #next(): { readonly turns: HostTurns; readonly account: string } | null {
    const left = this.#options.runs - this.#running
    if (left === 0) return null
    this.#forgetUnused()
    let next: { turns: HostTurns; account: string } | null = null
    for (const [host, turns] of this.#hosts) {
      if (turns.waiting.size === 0 || !this.#mayBegin(host, turns, left)) continue
      // guard: turns of hosts
      if (next !== null && compare(turns, next.turns) >= 0) continue
      const account = this.#firstIdle(host, turns)
      if (account !== null) next = { turns, account }
    }
    return next
  }

  #forgetUnused(): void {
    const before = performance.now() - FORGET_AFTER_MS
    for (const [host, { running, waiting, usedAt }] of this.#hosts)
      // guard: turns of a host that is gone
      if (running === 0 && waiting.size === 0 && usedAt < before) this.#hosts.delete(host)
  }

  #mayBegin(host: string, turns: HostTurns, left: number): boolean {
    if (turns.running === 0) return true
    // guard: last turn for other hosts
    if (left === 1 && this.#hostsRunning < this.#hosts.size) return false
    // guard: one turn of a host that is down
    return this.#options.isOpen(host)
  }

  #firstIdle(host: string, { waiting }: HostTurns): string | null {
    let first: { readonly account: string; readonly failure: number } | null = null
    for (const account of waiting.keys()) {
      // guard: one run of an account
      if (this.#busyAccounts.has(account)) continue
      // guard: another account tries a host that is down
      const failure = this.#options.lastFailure(host, account)
      if (failure === 0) return account
      if (first === null || failure < first.failure) first = { account, failure }
    }
    return first?.account ?? null
  }

  #give(turns: HostTurns, account: string): void {
    const [first, ...others] = turns.waiting.get(account) ?? []
    if (others.length === 0) turns.waiting.delete(account)
    else turns.waiting.set(account, others)
    this.#running += 1
    turns.running += 1
    if (turns.running === 1) this.#hostsRunning += 1
    turns.served = this.#served += 1
    this.#busyAccounts.add(account)
    let isTaken = true
    first?.give(() => {
      if (!isTaken) return
      isTaken = false
      this.#running -= 1
      turns.running -= 1
      turns.usedAt = performance.now()
      if (turns.running === 0) this.#hostsRunning -= 1
      this.#busyAccounts.delete(account)
      /* guard: accounts take turns */ this.#moveToEnd(turns, account)
      this.update()
    })
  }

  /** Further calls of an account that had its turn come after those of the others. */
  #moveToEnd({ waiting }: HostTurns, account: string): void {
    const left = waiting.get(account)
    if (left === undefined) return
    waiting.delete(account)
    waiting.set(account, left)
  }

  /** @returns whether it was still waiting */
  #leave({ waiting }: HostTurns, account: string, one: Waiting): boolean {
    const all = waiting.get(account) ?? []
    const left = all.filter((other) => other !== one)
    if (left.length === 0) waiting.delete(account)
    else waiting.set(account, left)
    return left.length < all.length
  }
}

function compare(one: HostTurns, other: HostTurns): number {
  return one.running - other.running || one.served - other.served
}

function ignore(): void {}
