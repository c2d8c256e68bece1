import type { Pool, PoolClient } from 'pg'
import { PoolWatch } from './pool-watch.ts'

/** A statement in flight may take so long when the pool is closed. */
export const CLOSE_GRACE_MS = 500

/** A client whose connection is being made. */
export interface ConnectingClient {
  /** Gives the connection up at once. */
  abandon(): void
}

/** Where connections are borrowed. */
export interface Connections {
  /** @throws the driver's error when there is no connection, or it was lost at once */
  borrow(): Promise<PoolClient>
  /** @param broken closes the connection instead of keeping it */
  giveBack(client: PoolClient, broken: Error | null): void
  /** The error that ended the connection; null without one. */
  lossOf(client: PoolClient): Error | null
  close(): Promise<void>
}

/** A pool as one call uses it: every connection always has a listener, and closing gives up what nobody waits for. */
export class WatchedPool implements Connections {
  readonly #pool: Pool
  readonly #watch: PoolWatch
  readonly #connecting: ReadonlySet<ConnectingClient> | null
  readonly #onIdleLoss: (error: Error) => void
  readonly #lent = new Set<PoolClient>()
  /** The size of `#lent` and the connections that are being made. */
  #borrowed = 0
  #isClosed = false

  /** @param connecting of a pool of our own, which close() ends; null of a pool of the caller */
  constructor(
    pool: Pool,
    connecting: ReadonlySet<ConnectingClient> | null,
    onIdleLoss: (error: Error) => void,
  ) {
    this.#pool = pool
    this.#watch = PoolWatch.of(pool)
    this.#connecting = connecting
    // A function of its own: two calls may be given one and the same.
    this.#onIdleLoss = (error) => onIdleLoss(error)
    this.#watch.join(this.#onIdleLoss)
  }

  async borrow(): Promise<PoolClient> {
    this.#borrowed += 1
    let client: PoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      this.#hasGivenBack()
      throw error
    }
    this.#watch.watch(client)
    this.#lent.add(client)
    const loss = this.lossOf(client)
    if (loss === null) return client
    this.giveBack(client, loss)
    throw loss
  }

  lossOf(client: PoolClient): Error | null {
    return this.#watch.lossOf(client)
  }

  giveBack(client: PoolClient, broken: Error | null): void {
    // close() has released it already.
    if (!this.#lent.delete(client)) return
    client.release(broken ?? undefined)
    this.#hasGivenBack()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const cut = setTimeout(/* guard: statements nobody waits for */ () => this.#cut(), CLOSE_GRACE_MS)
    if (this.#connecting !== null) {
      // It resolves before its connections are closed: they still need their listeners.
      await this.#pool.end()
      clearTimeout(cut)
    } else {
      cut.unref()
      this.#letGo()
    }
  }

  /** Closes connections with a statement in flight, which may wait for a lock, and those that are being made. Nobody waits for them any more. */
  #cut(): void {
    for (const client of this.#connecting ?? []) client.abandon()
    for (const client of this.#lent) this.cut(client)
  }

  /** Closes a connection that is lent: pg destroys it when it has a statement in flight. */
  cut(client: PoolClient): void {
    const closed = new Error('the database was closed')
    this.#watch.setLoss(client, closed)
    this.giveBack(client, closed)
  }

  #hasGivenBack(): void {
    this.#borrowed -= 1
    if (this.#isClosed && this.#connecting === null) this.#letGo()
  }

  /** Removes the listeners from a pool of the caller as soon as no connection is borrowed or being made. */
  #letGo(): void {
    if (this.#borrowed === 0) this.#watch.leave(this.#onIdleLoss)
  }
}
