import { writeEventBatch } from './write-batch.ts'
import type { EventWrite, StreamedWrite } from './event-write.ts'
import { accountLooksEmpty } from '../deletions/decide-deletions.ts'
import { writeStreamedList } from './write-large-list.ts'
import type { RunContext } from '../run-context.ts'

/** A batch of rows with much in them is full before it has all the rows that fill one. */
const MAX_BATCH_BYTES = 4_000_000
/** A slow service fills a batch slowly: what is this old is stored, so that a crash loses seconds, not minutes. */
const MAX_BATCH_AGE_MS = 2000
/** Batches written at once: they have other events, and so other rows. A third one would wait for the same two cores. */
const MAX_WRITERS = 2

/**
 * Gathers events into batches and loads them. While batches are written the next one is gathered; when that one is full
 * too, `add` waits for a writer, whoever calls it, so that reading never runs ahead of the database by more than a batch.
 */
export class BatchQueue implements AsyncDisposable {
  readonly #run: RunContext
  readonly #writers: number
  readonly #writing = new Set<Promise<void>>()
  #pending: EventWrite[] = []
  #rows = 0
  #bytes = 0
  #oldest = 0
  #handing: Promise<void> | null = null
  #accountEmpty: boolean | null = null
  #failure: { readonly cause: unknown } | null = null

  constructor(run: RunContext) {
    this.#run = run
    // PGlite has one connection; a dry run lists what it would write in a fixed order.
    this.#writers = run.mirror.database.engine === 'pglite' || run.mirror.plan !== null ? 1 : MAX_WRITERS
  }

  /** Takes an event; an event is never split over two batches. */
  async add(load: EventWrite): Promise<void> {
    if (this.#pending.length === 0) this.#oldest = performance.now()
    this.#pending.push(load)
    this.#rows += 1 + (load.list?.count ?? 0)
    this.#bytes += load.list?.bytes ?? 0
    if (this.#isFull()) await this.#handOver()
  }

  /**
   * Takes an event whose list is too large for memory, as a batch of its own, and waits until it is stored. What is
   * wrong with the list is found meanwhile, and is thrown.
   */
  async addStreamed(load: StreamedWrite): Promise<void> {
    await this.#handOver()
    while (this.#writing.size >= this.#writers) await Promise.race(this.#writing)
    if (this.#failure !== null) throw this.#failure.cause
    const stored = writeStreamedList(this.#run, load)
    const written = stored.then(nothing, nothing).finally(() => this.#writing.delete(written))
    this.#writing.add(written)
    await stored
  }

  /**
   * Loads what is left, and at last the lists that became empty: whether the account looks empty is known when all others
   * are read. Waits until everything is stored. @throws what kept a batch from being stored
   */
  async finish(): Promise<void> {
    await this.#storeAll()
    const emptied = this.#run.deletions.listsRead.takeUndecided()
    if (emptied.length === 0) return
    this.#accountEmpty = await accountLooksEmpty(this.#run)
    for (const load of emptied) await this.add(load)
    await this.#storeAll()
  }

  async #storeAll(): Promise<void> {
    await this.#handOver()
    await Promise.all(this.#writing)
    if (this.#failure !== null) throw this.#failure.cause
  }

  /** Drops what is not being written yet, and waits for what is. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#pending = []
    await Promise.all(this.#writing)
  }

  #isFull(): boolean {
    if (this.#rows >= this.#run.settings.batchRows || this.#bytes >= MAX_BATCH_BYTES) return true
    return performance.now() - this.#oldest >= MAX_BATCH_AGE_MS
  }

  /** Hands the pending batch to a writer as soon as one is free; all who find it full meanwhile wait together. */
  #handOver(): Promise<void> {
    this.#handing ??= this.#handToFreeWriter().finally(() => (this.#handing = null))
    return this.#handing
  }

  async #handToFreeWriter(): Promise<void> {
    while (this.#writing.size >= this.#writers) await Promise.race(this.#writing)
    const batch = this.#pending
    this.#pending = []
    this.#rows = 0
    this.#bytes = 0
    if (batch.length === 0 || this.#failure !== null) return
    const written = this.#write(batch).finally(() => this.#writing.delete(written))
    this.#writing.add(written)
  }

  /** Never throws: what keeps a batch from being stored ends the run, and no further one is written. */
  async #write(batch: readonly EventWrite[]): Promise<void> {
    try {
      await writeEventBatch(this.#run, batch, this.#accountEmpty)
    } catch (cause) {
      this.#failure ??= { cause }
      this.#run.stop(cause)
    }
  }
}

function nothing(): void {}
