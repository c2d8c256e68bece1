import type { PoolClient } from 'pg'
import { Semaphore, type Release } from '../../common/semaphore.ts'
import { CLOSE_GRACE_MS, type Connections, type WatchedPool } from './watched-pool.ts'

/**
 * One user's share of a pool: it never has more connections than its number, so that as many users as the pool can carry
 * never wait for each other. Closing it gives back what it still has, and closes nothing else.
 */
export class PoolShare implements Connections {
  readonly #pool: WatchedPool
  readonly #permits: Pick<ReturnType<Semaphore['join']>, 'acquire'>
  readonly #lent = new Map<PoolClient, Release>()
  readonly #closed = new AbortController()
  #onEmpty: () => void = () => {}

  constructor(pool: WatchedPool, connections: number) {
    this.#pool = pool
    this.#permits = new Semaphore(connections).join()
  }

  async borrow(): Promise<PoolClient> {
    // guard: share of a pool
    const release = await this.#permits.acquire(this.#closed.signal)
    try {
      const client = await this.#pool.borrow()
      if (this.#closed.signal.aborted) {
        this.#pool.giveBack(client, null)
        this.#closed.signal.throwIfAborted()
      }
      this.#lent.set(client, release)
      return client
    } catch (error) {
      release()
      throw error
    }
  }

  giveBack(client: PoolClient, broken: Error | null): void {
    const release = this.#lent.get(client)
    // close() has given it back already.
    if (release === undefined) return
    this.#lent.delete(client)
    this.#pool.giveBack(client, broken)
    release()
    if (this.#lent.size === 0) this.#onEmpty()
  }

  lossOf(client: PoolClient): Error | null {
    return this.#pool.lossOf(client)
  }

  /** Ends the statements that nobody waits for: the next user of the pool counts on the whole share. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the database was closed'))
    if (this.#lent.size === 0) return
    const empty = Promise.withResolvers<void>()
    this.#onEmpty = empty.resolve
    const cut = setTimeout(() => {
      for (const [client, release] of this.#lent) {
        this.#pool.cut(client)
        release()
      }
      this.#lent.clear()
      empty.resolve()
    }, CLOSE_GRACE_MS)
    await empty.promise
    clearTimeout(cut)
  }
}
