import { aborted, waitAtMost } from '../../../common/abort.ts'
import { HeadcountError } from '../../../common/errors.ts'
import { formatCount } from '../../../common/text/number.ts'
import { onClockJump } from '../clock-jumps.ts'
import { serveHealth } from '../health-endpoint.ts'
import { healthOf } from '../health.ts'
import type { RunsInView } from '../scheduled-runs.ts'
import { COMPANION_GRACE_MS, SHUTDOWN_GRACE_MS, type AnyWorkerOptions } from '../worker.ts'
import { AccountSchedule, type WorkedAccount } from './account-schedule.ts'
import { accountsHealth } from './accounts-health.ts'
import { lookAgain } from './look-again.ts'
import { SharedTicks } from './shared-ticks.ts'

/** The accounts as their files have them. */
export interface AccountsNow {
  readonly accounts: readonly WorkedAccount[]
  /** Where something keeps entries, or the whole file, from being used. */
  readonly faults: readonly string[]
}

/** `GET /healthz/NAME` is answered, too. */
export interface AccountsWorkerOptions extends AnyWorkerOptions {
  /** Null when nothing changed since the last call. */
  readonly read: () => Promise<AccountsNow | null>
}

/**
 * Runs every account once at the start, and then each by its own schedule, until it is stopped. Accounts that come into
 * the files begin, those that are taken out end after their run, changed ones take the new settings at their next run. An
 * account that fails is told, and tried again at its next tick.
 *
 * @returns after a stop, when the runs in progress have ended or 6.5 s have passed
 * @throws UsageError when the health port is taken; what `read` throws at the start
 */
export async function runAccountsWorker(options: AccountsWorkerOptions): Promise<void> {
  await using worker = new AccountsWorker(options)
  await worker.look()
  await worker.begin()
  await aborted(options.signal)
}

class AccountsWorker implements AsyncDisposable {
  readonly #options: AccountsWorkerOptions
  readonly #open = new AsyncDisposableStack()
  readonly #ticks: SharedTicks
  readonly #accounts = new Map<string, AccountSchedule>()
  /** Taken out of the files, with a run under way. */
  readonly #leaving = new Map<AccountSchedule, Promise<void>>()
  #faults: readonly string[] = []
  #hasBegun = false
  #isRecalling = false
  #skippedTicks = 0

  constructor(options: AccountsWorkerOptions) {
    this.#options = options
    this.#ticks = this.#open.use(new SharedTicks())
  }

  async begin(): Promise<void> {
    const { health, metricsText = null, companions = [], log } = this.#options
    if (health !== null) {
      const of = (name: string) => {
        const known = this.#accounts.get(name)
        return known === undefined ? null : healthOf(known.runs.state)
      }
      const endpoint = this.#open.use(await serveHealth(health, () => this.#health(), metricsText, { of }))
      log('info', `health is answered at ${endpoint.url}, and of each account at ${endpoint.url}/NAME`)
    }
    for (const companion of companions) {
      const begun = companion(this.#view)
      this.#open.defer(() => waitAtMost(COMPANION_GRACE_MS, begun[Symbol.asyncDispose]()))
    }
    this.#open.defer(() => this.#endRuns())
    this.#open.defer(
      onClockJump(() => {
        this.#ticks.restart()
        for (const { runs } of this.#accounts.values()) runs.clockJumped()
      }),
    )
    this.#hasBegun = true
    for (const account of this.#accounts.values()) account.begin()
    log(
      'info',
      `the worker runs ${formatCount(this.#accounts.size, 'account')} now, and then each by its schedule`,
    )
    this.#recall()
    const look = () => {
      this.#tellSkipped()
      return this.look()
    }
    this.#open.use(lookAgain(look, log))
  }

  /** Reads the files, and begins, changes and ends accounts by them. */
  async look(): Promise<void> {
    const found = await this.#options.read()
    if (found === null) return
    const unusable: string[] = []
    for (const account of found.accounts) {
      if (this.#options.signal.aborted) return
      try {
        await this.#take(account)
      } catch (error) {
        if (!(error instanceof HeadcountError)) throw error
        unusable.push(`account ${account.name} cannot be used`)
        this.#options.log('error', `account ${account.name} cannot be used: ${error.message}`)
      }
    }
    const names = new Set(found.accounts.map(({ name }) => name))
    for (const [name, known] of this.#accounts) {
      if (names.has(name)) continue
      this.#accounts.delete(name)
      this.#leaving.set(
        known,
        known.remove().finally(() => this.#leaving.delete(known)),
      )
    }
    this.#faults = [...found.faults, ...unusable]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync()
  }

  /** @throws ConfigurationError when its schedule cannot be used; what was there before goes on */
  async #take(account: WorkedAccount): Promise<void> {
    const known = this.#accounts.get(account.name)
    if (known?.version === account.version) return
    if (known !== undefined) return known.change(account)
    const added = new AccountSchedule(account, this.#ticks, {
      signal: this.#options.signal,
      onBusy: () => this.#recall(),
    })
    this.#accounts.set(account.name, added)
    if (!this.#hasBegun) return
    added.begin()
    // Renamed, or taken out and listed again: its mirror may be fresh.
    this.#recall()
  }

  /** Of all accounts at once: another worker has many of them. */
  #recall(): void {
    const { lastGoodRuns } = this.#options
    if (this.#isRecalling || lastGoodRuns === undefined) return
    this.#isRecalling = true
    void lastGoodRuns().then((ages) => {
      this.#isRecalling = false
      for (const [name, ageMs] of ages) this.#accounts.get(name)?.runs.recallGoodRun(ageMs)
    })
  }

  #tellSkipped(): void {
    const { skipped_ticks, waiting } = this.#health()
    const skipped = skipped_ticks - this.#skippedTicks
    this.#skippedTicks = skipped_ticks
    if (skipped <= 0) return
    const message = `${formatCount(skipped, 'tick')} skipped: the runs before are still under way, or wait for their turn`
    this.#options.log('warn', message, { skipped_ticks, waiting })
  }

  async #endRuns(): Promise<void> {
    const all = [...this.#accounts.values()]
    await waitAtMost(SHUTDOWN_GRACE_MS, Promise.all([...this.#underWay(), ...this.#leaving.values()]))
    const late = all.filter(({ runs }) => runs.current !== null).length
    if (late > 0)
      this.#options.log(
        'warn',
        `${formatCount(late, 'run')} under way did not end in time; the database rolls back what was begun`,
      )
    await Promise.all(all.map((account) => account.endCompanions()))
  }

  #underWay(): readonly Promise<void>[] {
    return [...this.#accounts.values()].flatMap(({ runs }) => runs.current ?? [])
  }

  get #view(): RunsInView {
    return {
      whenIdle: (maxMs) => waitAtMost(maxMs, Promise.all(this.#underWay())),
      condition: () => null,
      signal: this.#options.signal,
    }
  }

  #health() {
    const states = [...this.#accounts].map(([name, { runs }]) => [name, runs.state] as const)
    return accountsHealth(new Map(states), this.#faults)
  }
}
