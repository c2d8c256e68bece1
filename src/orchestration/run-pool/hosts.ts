/** The services of a run pool, one for each origin. What is learned of a service stays for its next runs. */
import { createHost, type Host } from '../../source/host.ts'
import { gotNoAnswer } from '../../source/throttle/availability.ts'
import type { Logger } from '../../sync/options.ts'

/** `paused`: it asks all its accounts for a pause. `silent`: it does not answer, or has not answered yet. */
export type HostState = 'answering' | 'paused' | 'silent'

/** So many runs of different accounts without any answer show that it is the host and not the account. */
export const MAX_DEAD_ACCOUNTS = 3

const REQUEST_TIMEOUT_MS = 60_000

export interface HostsOptions {
  readonly requestsPerHost: number
  readonly logger: Logger
  /** A host that did not answer, or asked for a pause, answers. */
  readonly onOpen: () => void
}

interface KnownHost {
  readonly host: Host
  /** The account that came first; null: none has come. */
  firstAccount: string | null
  /** Somebody was refused a turn since the last answer. */
  isBlocking: boolean
  /** Accounts whose runs got no answer since the last answer, in the order in which they failed last. */
  readonly dead: Map<string, number>
}

export class Hosts implements AsyncDisposable {
  readonly #options: HostsOptions
  readonly #hosts = new Map<string, KnownHost>()
  #failures = 0

  constructor(options: HostsOptions) {
    this.#options = options
  }

  /** The host of an origin, made for its first run. */
  at(origin: string): Host {
    return this.#knownAt(origin).host
  }

  /** An account is about to wait for its turn at an origin. @param proxy that leads there: the first account decides */
  noteAccount(origin: string, account: string, proxy: URL | null): void {
    const known = this.#knownAt(origin, proxy)
    known.firstAccount ??= account
    if (known.firstAccount !== account) known.host.shareAmongAccounts()
  }

  /** What is known of the service. */
  stateOf(origin: string): HostState {
    const known = this.#knownAt(origin)
    const { throttle, pauses } = known.host
    const isPaused = pauses.leftOfAllMs > 0
    if (throttle.availability.isAnswering && !isPaused) return 'answering'
    known.isBlocking = true
    return isPaused ? 'paused' : 'silent'
  }

  /** Notes how a run failed. @returns whether the service is away for every account */
  isAway(origin: string, account: string, error: unknown): boolean {
    const known = this.#knownAt(origin)
    if (!gotNoAnswer(error) || known.host.throttle.availability.isAnswering) return false
    known.dead.set(account, (this.#failures += 1))
    // guard: other accounts before it is the host
    return known.dead.size >= MAX_DEAD_ACCOUNTS
  }

  /** The number of the last run of an account that got no answer; 0 when the host has answered since. */
  lastFailure(origin: string, account: string): number {
    return this.#hosts.get(origin)?.dead.get(account) ?? 0
  }

  #knownAt(origin: string, proxy: URL | null = null): KnownHost {
    const known = this.#hosts.get(origin)
    if (known !== undefined) return known
    const { requestsPerHost, logger, onOpen } = this.#options
    const host = createHost({
      origin,
      concurrency: requestsPerHost,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      proxy,
      log: (level, message, fields) => logger[level]({ host: origin, ...fields }, `${origin}: ${message}`),
    })
    const added: KnownHost = { host, firstAccount: null, isBlocking: false, dead: new Map() }
    this.#hosts.set(origin, added)
    host.throttle.availability.onAnswer(() => {
      added.dead.clear()
      if (!added.isBlocking) return
      added.isBlocking = false
      onOpen()
    })
    return added
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#hosts.values()].map(({ host }) => host[Symbol.asyncDispose]()))
  }
}
