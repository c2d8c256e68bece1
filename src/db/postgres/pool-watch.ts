import type { Pool, PoolClient } from 'pg'

/**
 * The listeners of a pool and of its connections, and the errors that ended connections: one for all calls that use the pool at the
 * same time. With listeners of each call, ten calls at once would make Node warn of a leak in the program whose pool it is.
 *
 * Postgres may end a connection in the packet in which it becomes ready. The pool emits `connect` at that moment. The
 * caller gets the connection later, after its `error`: an `error` without a listener ends the process.
 */
export class PoolWatch {
  readonly #pool: Pool
  /** What is told that an idle connection was lost, of each call. */
  readonly #calls = new Set<(error: Error) => void>()
  readonly #listeners = new Map<PoolClient, (error: Error) => void>()
  readonly #losses = new WeakMap<PoolClient, Error>()

  private constructor(pool: Pool) {
    this.#pool = pool
  }

  static of(pool: Pool): PoolWatch {
    const known = watches.get(pool)
    if (known !== undefined) return known
    const made = new PoolWatch(pool)
    watches.set(pool, made)
    return made
  }

  join(onIdleLoss: (error: Error) => void): void {
    this.#calls.add(onIdleLoss)
    if (this.#calls.size > 1) return
    this.#pool.on('error', this.#tellAll)
    // guard: connections that end when ready
    this.#pool.on('connect', this.watch)
    this.#pool.on('remove', this.#forget)
  }

  /** The last call takes all listeners with it. */
  leave(onIdleLoss: (error: Error) => void): void {
    this.#calls.delete(onIdleLoss)
    // guard: listeners of other calls
    if (this.#calls.size > 0) return
    this.#pool.off('error', this.#tellAll)
    this.#pool.off('connect', this.watch)
    this.#pool.off('remove', this.#forget)
    // guard: given pools
    for (const [client, onError] of this.#listeners) client.off('error', onError)
    this.#listeners.clear()
  }

  /** Listens to a connection, once. The pool may have made it before anybody joined. */
  readonly watch = (client: PoolClient): void => {
    if (this.#listeners.has(client)) return
    const onError = (error: Error) => {
      if (!this.#losses.has(client)) this.#losses.set(client, error)
    }
    this.#listeners.set(client, onError)
    client.on('error', onError)
  }

  lossOf(client: PoolClient): Error | null {
    return this.#losses.get(client) ?? null
  }

  /** A connection that we close ourselves, and why. */
  setLoss(client: PoolClient, error: Error): void {
    this.#losses.set(client, error)
  }

  readonly #tellAll = (error: Error): void => {
    for (const onIdleLoss of this.#calls) onIdleLoss(error)
  }

  readonly #forget = (client: PoolClient): void => {
    this.#listeners.delete(client)
  }
}

const watches = new WeakMap<Pool, PoolWatch>()
