/** One account of a worker: its schedule, its runs and what goes on beside them. */
import { waitAtMost } from '../../../common/abort.ts'
import { InterruptedError } from '../../../common/errors.ts'
import type { Log, Run } from '../run-guard.ts'
import { scheduleRuns, type ScheduledRuns, type ScheduledRunsOptions } from '../scheduled-runs.ts'
import { COMPANION_GRACE_MS, type Companion } from '../worker.ts'
import type { AccountTicks, SharedTicks } from './shared-ticks.ts'

/** An account as its file has it now. */
export interface WorkedAccount {
  readonly name: string
  readonly schedule: string
  readonly timeZone: string
  /** Another text when any setting changed. */
  readonly version: string
  /** Its first heartbeat tells that its turn has come. */
  readonly run: Run
  readonly log: Log
  readonly companions: readonly Companion[]
}

export class AccountSchedule {
  readonly runs: ScheduledRuns
  readonly #ticks: AccountTicks
  #account: WorkedAccount
  #companions: readonly AsyncDisposable[] = []
  /** It was taken out of the file. */
  #isRemoved = false

  /** @throws ConfigurationError when its schedule cannot be used */
  constructor(
    account: WorkedAccount,
    shared: SharedTicks,
    beside: Required<Pick<ScheduledRunsOptions, 'signal' | 'onBusy'>>,
  ) {
    this.#account = account
    this.#ticks = shared.subscribe(account.schedule, account.timeZone)
    this.runs = scheduleRuns({
      run: (onHeartbeat) => this.#account.run(() => this.#onHeartbeat(onHeartbeat)),
      ticks: this.#ticks,
      ...beside,
      log: (level, message, fields) => {
        // Of a thousand accounts, each would tell that the worker was stopped.
        if (level !== 'info') this.#account.log(level, message, fields)
      },
      tickLog: () => {},
      awaitsTurn: true,
      // guard: failing account
      onFatal: (error) => this.#account.log('error', error.message, { code: error.code }),
    })
  }

  begin(): void {
    this.#beginCompanions()
    this.runs.begin()
  }

  get version(): string {
    return this.#account.version
  }

  /** New settings: a run under way ends with the former ones. @throws ConfigurationError: the former ones go on */
  async change(account: WorkedAccount): Promise<void> {
    const { schedule, timeZone } = this.#account
    if (schedule !== account.schedule || timeZone !== account.timeZone) {
      this.#ticks.change(account.schedule, account.timeZone)
      this.runs.rescheduled()
    }
    this.#account = account
    await this.endCompanions()
    this.#beginCompanions()
  }

  /** Ends after the run under way; one that waits for its turn does not begin. */
  async remove(): Promise<void> {
    this.#isRemoved = true
    this.#ticks.stop()
    await this.runs.current
    await this.endCompanions()
  }

  #onHeartbeat(onHeartbeat: () => void): void {
    const { running } = this.runs.state
    // guard: run of a removed account
    if (this.#isRemoved && running?.turn === null)
      throw new InterruptedError('The account was taken out of the accounts file before its turn came.')
    onHeartbeat()
  }

  #beginCompanions(): void {
    this.#companions = this.#account.companions.map((companion) => companion(this.runs.view))
  }

  async endCompanions(): Promise<void> {
    const ending = this.#companions
    this.#companions = []
    await waitAtMost(
      COMPANION_GRACE_MS,
      Promise.all(ending.map((companion) => companion[Symbol.asyncDispose]())),
    )
  }
}
