import { accountLooksEmpty } from '../deletions/decide-deletions.ts'
import type { RunContext } from '../run-context.ts'
import { BatchQueue, MAX_WRITERS } from './batch-queue.ts'
import type { EventWrite, StreamedWrite } from './event-write.ts'
import { writeEventBatch } from './write-batch.ts'
import { writeStreamedList } from './write-streamed-list.ts'

/** Gathers events into batches and loads them. */
export class EventBatches implements AsyncDisposable {
  readonly #run: RunContext
  readonly #queue: BatchQueue<EventWrite>
  #accountEmpty: boolean | null = null

  constructor(run: RunContext) {
    const { mirror, settings, stop } = run
    this.#run = run
    this.#queue = new BatchQueue<EventWrite>({
      maxRows: settings.batchRows,
      // PGlite has one connection; a dry run lists what it would write in a fixed order.
      writers: mirror.database.engine === 'pglite' || mirror.plan !== null ? 1 : MAX_WRITERS,
      write: (batch) => writeEventBatch(run, batch, this.#accountEmpty),
      onFailure: stop,
    })
  }

  add(load: EventWrite): Promise<void> {
    return this.#queue.add(load, { rows: 1 + (load.list?.count ?? 0), bytes: load.list?.bytes ?? 0 })
  }

  /**
   * Takes an event whose list is too large for memory, as a batch of its own, and waits until it is stored. What is
   * wrong with the list is found meanwhile, and is thrown.
   */
  addStreamed(load: StreamedWrite): Promise<void> {
    return this.#queue.addAlone(() => writeStreamedList(this.#run, load))
  }

  /**
   * Loads what is left, and at last the lists that became empty: whether the account looks empty is known when all others
   * are read. Waits until everything is stored. @throws what kept a batch from being stored
   */
  async finish(): Promise<void> {
    await this.#queue.flush()
    const emptied = this.#run.deletions.listsRead.takeUndecided()
    if (emptied.length === 0) return
    this.#accountEmpty = await accountLooksEmpty(this.#run)
    for (const load of emptied) await this.add(load)
    await this.#queue.flush()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]()
  }
}
