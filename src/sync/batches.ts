import { applyBatch } from './batch.ts'
import type { EventLoad } from './batch.ts'
import type { OpenRun } from './opening.ts'

/** A batch is large enough that its commit does not count, and small enough to be lost without pain. */
const ROWS_PER_BATCH = 5000
const BYTES_PER_BATCH = 4_000_000
/** A slow service fills a batch slowly: what is this old is stored, so that a crash loses seconds, not minutes. */
const OLDEST_IN_BATCH_MS = 2000

/**
 * Gathers events into batches and loads them one after the other. While one batch is written the next is
 * gathered; when that one is full too, `add` waits, so that reading never runs far ahead of the database.
 */
export class Batches {
  readonly #run: OpenRun
  #pending: EventLoad[] = []
  #rows = 0
  #bytes = 0
  #oldest = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(run: OpenRun) {
    this.#run = run
  }

  /** Takes an event; an event is never split over two batches. */
  async add(load: EventLoad): Promise<void> {
    if (this.#pending.length === 0) this.#oldest = performance.now()
    this.#pending.push(load)
    this.#rows += 1 + (load.list?.rows.length ?? 0)
    this.#bytes += load.list?.bytes ?? 0
    if (!this.#isFull()) return
    await this.#write()
    // A large list keeps its place in memory until its rows are stored: the next large one waits for it.
    if ((load.list?.bytes ?? 0) >= BYTES_PER_BATCH) await this.#writing
  }

  #isFull(): boolean {
    if (this.#rows >= ROWS_PER_BATCH || this.#bytes >= BYTES_PER_BATCH) return true
    return performance.now() - this.#oldest >= OLDEST_IN_BATCH_MS
  }

  /** Loads what is left and waits until everything is stored. */
  async finish(): Promise<void> {
    await this.#write()
    await this.#writing
  }

  /** Drops what is not being written yet, and waits for what is. */
  async abandon(): Promise<void> {
    this.#pending = []
    await this.#writing.catch(() => undefined)
  }

  /** Hands the pending batch over as soon as the one before it is stored. */
  async #write(): Promise<void> {
    const batch = this.#pending
    const before = this.#writing
    this.#pending = []
    this.#rows = 0
    this.#bytes = 0
    const stored = before.then(async () => {
      if (batch.length > 0) await applyBatch(this.#run, batch)
    })
    this.#writing = stored
    stored.catch((error: unknown) => this.#run.stop(error))
    await before
  }
}
