/**
 * The turns of runs: at most so many at once, one at a time for an account. The next turn goes to the host with the fewest
 * runs under way; of equals, to the one that was served longest ago. The last free turn is only for a host without a run,
 * as long as there is one. Within a host the accounts take turns in the order in which they came; those whose last run got
 * no answer come last, so that each account of a host that is down is tried. A host that does not answer has one run at
 * first, and a few when that one waits: the account may be slow, and not the host. A run that waits for a pause suspends its
 * turn: another run has it meanwhile. Runs that come back from a pause go before those that have not begun.
 */
import { raceAbort } from '../../common/abort.ts'
import { mayHaveAnother, type HostRuns, type SilentHostsOptions } from './silent-hosts.ts'
import { WaitingCalls } from './waiting-calls.ts'

export interface TurnsOptions extends SilentHostsOptions {
  /** The number of the last run of an account that got no answer; 0: none. Those that failed longest ago are tried first. */
  readonly lastFailure: (host: string, account: string) => number
}

/** A host without a turn for so long may have no account any more: no turn is kept free for it. */
const FORGET_AFTER_MS = 60 * 60_000

/** So many runs at most have begun, hold a lease, and have no turn. */
const MAX_SUSPENDED = 64

/** The turn of one run. */
export interface Turn {
  readonly isSuspended: boolean
  /** Ends it, suspended or not; a second call does nothing. */
  release(): void
  /** Another run may begin. With too many suspended runs this one keeps its turn. */
  suspend(): void
  /** Waits for a turn again, unless it has one. @throws the signal's reason */
  resume(signal: AbortSignal): Promise<void>
}

interface HostTurns extends HostRuns {
  suspended: number
  /** The number of its last turn, over all hosts. */
  served: number
  /** When it was used last, by the clock of `performance.now()`. */
  usedAt: number
  readonly waiting: WaitingCalls<Turn>
  /** Suspended runs that wait to go on, in the order in which they came. */
  readonly returning: Set<RunWithTurn>
}

interface RunWithTurn {
  readonly turns: HostTurns
  readonly account: string
  state: 'running' | 'suspended' | 'released'
  /** While it waits for its turn again; several may wait for the same return. */
  returning: PromiseWithResolvers<void> | null
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
  async take(host: string, account: string, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted()
    const { waiting } = this.#turnsOf(host)
    const call = waiting.add(account)
    this.update()
    try {
      return await raceAbort(call.promise, signal)
    } catch (error) {
      if (!waiting.remove(account, call)) call.promise.then((turn) => turn.release(), ignore)
      throw error
    }
  }

  /** Gives the turns that may be given now, as when a host answers again. */
  update(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next()
  }

  /** Those who wait for a turn at this host fail, each with its own error. */
  failWaiting(host: string, errorOf: (account: string) => Error): void {
    this.#turnsOf(host).waiting.fail(errorOf)
  }

  #turnsOf(host: string): HostTurns {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const added: HostTurns = {
      running: 0,
      suspended: 0,
      served: 0,
      usedAt: performance.now(),
      begunAt: -Infinity,
      timer: undefined,
      waiting: new WaitingCalls(),
      returning: new Set(),
    }
    this.#hosts.set(host, added)
    return added
  }

  /** @returns what gives the next turn; null when none may be given */
  #next(): (() => void) | null {
    const left = this.#options.runs - this.#running
    if (left <= 0) return null
    this.#forgetUnused()
    let next: (() => void) | null = null
    let nextTurns: HostTurns | null = null
    for (const [host, turns] of this.#hosts) {
      if (turns.waiting.size + turns.returning.size === 0 || !this.#mayHaveOneMore(host, turns, left))
        continue
      // guard: turns of hosts
      if (nextTurns !== null && compare(turns, nextTurns) >= 0) continue
      const give = this.#firstOf(host, turns)
      if (give !== null) [next, nextTurns] = [give, turns]
    }
    return next
  }

  #firstOf(host: string, turns: HostTurns): (() => void) | null {
    // guard: runs that return from a pause first
    for (const run of turns.returning) return () => this.#giveBack(run)
    const account = this.#firstIdle(host, turns)
    return account === null ? null : () => this.#give(turns, account)
  }

  #forgetUnused(): void {
    const before = performance.now() - FORGET_AFTER_MS
    for (const [host, { running, suspended, waiting, usedAt }] of this.#hosts)
      // guard: turns of a host that is gone
      if (running + suspended + waiting.size === 0 && usedAt < before) this.#hosts.delete(host)
  }

  #mayHaveOneMore(host: string, turns: HostTurns, left: number): boolean {
    // A run that returns from a pause has begun already: the host without an answer is its own.
    if (turns.running === 0 && (turns.suspended === 0 || turns.returning.size > 0)) return true
    // guard: last turn for other hosts
    if (turns.running > 0 && left === 1 && this.#hostsRunning < this.#hosts.size) return false
    const state = this.#options.stateOf(host)
    // guard: one turn of a host that is down
    return (
      state === 'answering' ||
      (state === 'silent' && mayHaveAnother(turns, this.#hosts, this.#options, () => this.update()))
    )
  }

  #firstIdle(host: string, { waiting }: HostTurns): string | null {
    let first: { readonly account: string; readonly failure: number } | null = null
    for (const account of waiting.accounts()) {
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
    const call = turns.waiting.takeFirst(account)
    this.#busyAccounts.add(account)
    this.#occupy(turns)
    turns.begunAt = performance.now()
    const run: RunWithTurn = { turns, account, state: 'running', returning: null }
    call?.resolve({
      get isSuspended() {
        return run.state === 'suspended'
      },
      release: () => this.#release(run),
      suspend: () => this.#suspend(run),
      resume: (signal) => this.#resume(run, signal),
    })
  }

  #suspend(run: RunWithTurn): void {
    // guard: bound of suspended runs
    if (run.state !== 'running' || this.#suspended() >= MAX_SUSPENDED) return
    run.state = 'suspended'
    run.turns.suspended += 1
    this.#vacate(run.turns)
    this.update()
  }

  #suspended(): number {
    return [...this.#hosts.values()].reduce((sum, { suspended }) => sum + suspended, 0)
  }

  async #resume(run: RunWithTurn, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (run.state !== 'suspended') return
    const returning = (run.returning ??= Promise.withResolvers())
    run.turns.returning.add(run)
    this.update()
    await raceAbort(returning.promise, signal)
  }

  #giveBack(run: RunWithTurn): void {
    run.turns.returning.delete(run)
    run.state = 'running'
    run.turns.suspended -= 1
    this.#occupy(run.turns)
    run.returning?.resolve()
    run.returning = null
  }

  #release(run: RunWithTurn): void {
    const { turns, account, state } = run
    if (state === 'released') return
    run.state = 'released'
    turns.returning.delete(run)
    this.#busyAccounts.delete(account)
    /* guard: accounts take turns */ turns.waiting.moveToEnd(account)
    if (state === 'suspended') turns.suspended -= 1
    else this.#vacate(turns)
    this.update()
  }

  #occupy(turns: HostTurns): void {
    this.#running += 1
    turns.running += 1
    if (turns.running === 1) this.#hostsRunning += 1
    turns.served = this.#served += 1
  }

  #vacate(turns: HostTurns): void {
    this.#running -= 1
    turns.running -= 1
    turns.usedAt = performance.now()
    if (turns.running === 0) this.#hostsRunning -= 1
  }
}

function compare(one: HostTurns, other: HostTurns): number {
  return one.running - other.running || one.served - other.served
}

function ignore(): void {}
