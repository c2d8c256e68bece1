import type { Pool, PoolClient } from 'pg'

/** So long a statement that is under way when the pool is closed may take to end. */
const CLOSE_GRACE_MS = 500

/**
 * A pool of connections none of which is ever without a listener: an `error` that nobody listens to ends the process.
 *
 * Postgres may end a connection in the very packet in which it becomes ready. The pool's `connect` is emitted in that
 * moment; whoever waits for the connection gets it later, when its `error` was emitted already.
 */
export class WatchedPool {
  readonly #pool: Pool
  readonly #isOwned: boolean
  readonly #onIdleLoss: (error: Error) => void
  readonly #listeners = new Map<PoolClient, (error: Error) => void>()
  readonly #losses = new WeakMap<PoolClient, Error>()
  /** Those that are connected. */
  readonly #lent = new Set<PoolClient>()
  /** Also those that are being connected. */
  #borrowed = 0
  #isClosed = false

  /** @param isOwned whether close() ends the pool; one that was given is left as it was. */
  constructor(pool: Pool, isOwned: boolean, onIdleLoss: (error: Error) => void) {
    this.#pool = pool
    this.#isOwned = isOwned
    this.#onIdleLoss = onIdleLoss
    pool.on('error', onIdleLoss)
    // guard: connections that end when ready
    pool.on('connect', this.#watch)
    pool.on('remove', this.#forget)
  }

  /** @throws what the driver says when there is no connection, or when it was lost before it could be used. */
  async borrow(): Promise<PoolClient> {
    this.#borrowed += 1
    let client: PoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      this.#hasGivenBack()
      throw error
    }
    // A pool that was given may have connected it before we listened.
    this.#watch(client)
    this.#lent.add(client)
    const loss = this.lossOf(client)
    if (loss === null) return client
    this.giveBack(client, loss)
    throw loss
  }

  /** Why the connection is gone; null while it is not known to be. */
  lossOf(client: PoolClient): Error | null {
    return this.#losses.get(client) ?? null
  }

  /** @param broken closes the connection instead of keeping it. */
  giveBack(client: PoolClient, broken: Error | null): void {
    // It was cut.
    if (!this.#lent.delete(client)) return
    client.release(broken ?? undefined)
    this.#hasGivenBack()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const cut = setTimeout(/* guard: statements nobody waits for */ () => this.#cut(), CLOSE_GRACE_MS)
    if (this.#isOwned) {
      // It resolves before its connections are closed, and one that fails then still needs its listener.
      await this.#pool.end()
      clearTimeout(cut)
    } else {
      cut.unref()
      this.#letGo()
    }
  }

  /** Nobody waits any more for what is still under way: a statement may wait for a lock as long as it likes. */
  #cut(): void {
    for (const client of this.#lent) {
      const closed = new Error('the database was closed')
      this.#losses.set(client, closed)
      // pg ends a connection by force that has a statement under way.
      this.giveBack(client, closed)
    }
  }

  readonly #watch = (client: PoolClient): void => {
    if (this.#listeners.has(client)) return
    const onError = (error: Error) => {
      if (!this.#losses.has(client)) this.#losses.set(client, error)
    }
    this.#listeners.set(client, onError)
    client.on('error', onError)
  }

  readonly #forget = (client: PoolClient): void => {
    this.#listeners.delete(client)
  }

  #hasGivenBack(): void {
    this.#borrowed -= 1
    if (this.#isClosed && !this.#isOwned) this.#letGo()
  }

  /** Leaves a pool that was given as it was, as soon as nothing of it is borrowed or being connected. */
  #letGo(): void {
    if (this.#borrowed > 0) return
    this.#pool.off('error', this.#onIdleLoss)
    this.#pool.off('connect', this.#watch)
    this.#pool.off('remove', this.#forget)
    // guard: given pools
    for (const [client, onError] of this.#listeners) client.off('error', onError)
    this.#listeners.clear()
  }
}
