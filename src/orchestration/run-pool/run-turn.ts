/** The turn of a run: given to other runs while the service asks this one for a pause. */
import type { Database } from '../../db/connect.ts'
import type { SuspendableTurn } from '../../source/throttle/pause-gate.ts'
import type { Turn } from './turns.ts'

/**
 * While it is suspended the run has no transaction: connections for these belong to runs that have a turn. Its heartbeat goes
 * on, for it needs a connection for a moment only.
 */
export class RunTurn implements SuspendableTurn {
  readonly #turn: Turn
  readonly #signal: AbortSignal
  #isSuspended = false
  #transactions = 0

  /** @param signal ends the wait for a turn: a run that was stopped still closes its lease */
  constructor(turn: Turn, signal: AbortSignal) {
    this.#turn = turn
    this.#signal = signal
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** What was read before the pause is written first. */
  suspend(): void {
    this.#isSuspended = true
    // guard: transactions of a suspended run
    if (this.#transactions === 0) this.#turn.suspend()
  }

  async resume(): Promise<void> {
    this.#isSuspended = false
    await this.#take()
  }

  /** The database of the run. A transaction waits for a turn. */
  over(database: Database): Database {
    return {
      ...database,
      transaction: async (work, options) => {
        this.#transactions += 1
        try {
          await this.#take()
          return await database.transaction(work, options)
        } finally {
          this.#transactions -= 1
          if (this.#isSuspended) this.suspend()
        }
      },
    }
  }

  async #take(): Promise<void> {
    await this.#turn.resume(this.#signal).catch((error: unknown) => {
      if (!this.#signal.aborted) throw error
    })
  }
}
