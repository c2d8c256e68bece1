/** A batch of rows with much in them is full before it has all the rows that fill one. */
const MAX_BATCH_BYTES = 4_000_000
/** A batch this old is stored although it is not full: with a slow service, a crash then loses seconds, not minutes. */
const MAX_BATCH_AGE_MS = 2000
/** Batches written at once. Each has events of its own, so no two write the same rows. A third writer was no faster on two cores. */
export const MAX_WRITERS = 2

export interface BatchQueueOptions<Item> {
  /** A batch with so many rows is full. */
  readonly maxRows: number
  /** So many batches are under way at once. */
  readonly writers: number
  readonly write: (batch: readonly Item[]) => Promise<void>
  /** Called with the error of the first batch that failed. No further batch is written. */
  readonly onFailure: (cause: unknown) => void
}

/**
 * Gathers items into batches. While batches are written the next one is gathered; when that one is full too, `add` waits
 * for a writer, whoever calls it, so that reading never runs ahead of the database by more than a batch.
 */
export class BatchQueue<Item> implements AsyncDisposable {
  readonly #options: BatchQueueOptions<Item>
  readonly #writing = new Set<Promise<void>>()
  #pending: Item[] = []
  #rows = 0
  #bytes = 0
  #oldest = 0
  #handing: Promise<void> | null = null
  #failure: { readonly cause: unknown } | null = null

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options
  }

  /** Takes an item; an item is never split over two batches. */
  async add(item: Item, { rows, bytes }: { readonly rows: number; readonly bytes: number }): Promise<void> {
    if (this.#pending.length === 0) this.#oldest = performance.now()
    this.#pending.push(item)
    this.#rows += rows
    this.#bytes += bytes
    if (this.#isFull()) await this.#handOver()
  }

  /** Does work that is a batch of its own, and waits until it is done. @throws what it throws */
  async addAlone(work: () => Promise<void>): Promise<void> {
    await this.#handOver()
    while (this.#writing.size >= this.#options.writers) await Promise.race(this.#writing)
    if (this.#failure !== null) throw this.#failure.cause
    const done = work()
    const written = done.then(nothing, nothing).finally(() => this.#writing.delete(written))
    this.#writing.add(written)
    await done
  }

  /** Hands over what is left, and waits until all is written. @throws what kept a batch from being written */
  async flush(): Promise<void> {
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
    if (this.#rows >= this.#options.maxRows || this.#bytes >= MAX_BATCH_BYTES) return true
    return performance.now() - this.#oldest >= MAX_BATCH_AGE_MS
  }

  /** Hands the pending batch to a writer as soon as one is free; all who find it full meanwhile wait together. */
  #handOver(): Promise<void> {
    this.#handing ??= this.#handToFreeWriter().finally(() => (this.#handing = null))
    return this.#handing
  }

  async #handToFreeWriter(): Promise<void> {
    while (this.#writing.size >= this.#options.writers) await Promise.race(this.#writing)
    const batch = this.#pending
    this.#pending = []
    this.#rows = 0
    this.#bytes = 0
    if (batch.length === 0 || this.#failure !== null) return
    const written = this.#write(batch).finally(() => this.#writing.delete(written))
    this.#writing.add(written)
  }

  /** Never throws. */
  async #write(batch: readonly Item[]): Promise<void> {
    try {
      await this.#options.write(batch)
    } catch (cause) {
      this.#failure ??= { cause }
      this.#options.onFailure(cause)
    }
  }
}

function nothing(): void {}
