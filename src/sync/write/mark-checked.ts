import type { UnchangedState } from '../../load/state/sync-state.ts'

/** Enough that the transaction costs little, few enough that little is left for the end of the run. */
const MARKS_PER_BATCH = 2000

/** What marking needs of a run. */
interface CheckedMarkerOptions {
  /** Events that wait to be marked. */
  readonly unchanged: UnchangedState[]
  readonly signal: AbortSignal
  stop(cause: unknown): void
  write(states: readonly UnchangedState[]): Promise<void>
}

/**
 * Marks unchanged events as checked while others are still read. Those left over stay in `unchanged` and are marked
 * when the run is finished.
 */
export class CheckedMarker {
  readonly #run: CheckedMarkerOptions
  readonly #atOnce: number
  #writing: Promise<void> | null = null

  constructor(run: CheckedMarkerOptions, atOnce = MARKS_PER_BATCH) {
    this.#run = run
    this.#atOnce = atOnce
  }

  add(state: UnchangedState): void {
    const { unchanged, signal } = this.#run
    unchanged.push(state)
    if (unchanged.length < this.#atOnce || signal.aborted) return
    this.#writing ??= this.#write(unchanged.splice(0)).finally(() => (this.#writing = null))
  }

  /** Waits until none is being written. What kept them from being stored has stopped the run. */
  async drain(): Promise<void> {
    await this.#writing
  }

  /** Never throws: marks that could not be stored are left for the end of the run. */
  async #write(states: readonly UnchangedState[]): Promise<void> {
    try {
      await this.#run.write(states)
    } catch (cause) {
      this.#run.unchanged.push(...states)
      this.#run.stop(cause)
    }
  }
}
