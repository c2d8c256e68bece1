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
  readonly #ended = new AbortController()
  readonly #onSuspend: (isSuspended: boolean) => void
  #isSuspended = false
  #isTurnAway = false
  #transactions = 0

  /** @param onSuspend called with true when the turn is given away, with false when the run has it again */
  constructor(turn: Turn, onSuspend: (isSuspended: boolean) => void = () => {}) {
    this.#turn = turn
    this.#onSuspend = onSuspend
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** What was read before the pause is written first. */
  suspend(): void {
    this.#isSuspended = true
    // guard: transactions of a suspended run
    if (this.#transactions === 0) this.#turn.suspend()
    this.#tell()
  }

  async resume(): Promise<void> {
    await this.#take()
    this.#isSuspended = false
  }

  end(): void {
    this.#ended.abort()
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
    const { signal } = this.#ended
    try {
      await this.#turn.resume(signal)
    } catch (error) {
      // guard: end of a suspended run
      if (!signal.aborted) throw error
    }
    this.#tell()
  }

  #tell(): void {
    const { isSuspended } = this.#turn
    if (isSuspended === this.#isTurnAway) return
    this.#isTurnAway = isSuspended
    this.#onSuspend(isSuspended)
  }
}
