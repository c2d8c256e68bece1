import { withinTime } from '../common/abort.ts'
import type { Transaction } from '../db/transaction.ts'

/** Well below `idle_in_transaction_session_timeout` (20 s, db/transaction.ts). */
const KEEP_ALIVE_INTERVAL_MS = 5000
const timedOut = Symbol('a statement must be sent')

/**
 * Prepares the next value while the current one is used: rows are parsed while the database writes the ones before.
 * During a long wait it sends statements, so that the idle time-out does not end the transaction.
 */
export async function* prefetch<T>(
  trx: Pick<Transaction, 'query'>,
  values: AsyncGenerator<T, void>,
  keepAliveIntervalMs = KEEP_ALIVE_INTERVAL_MS,
): AsyncGenerator<T, void> {
  let due = performance.now() + keepAliveIntervalMs
  async function keepAliveUntil<V>(value: Promise<V>): Promise<V> {
    for (;;) {
      const ms = due - performance.now()
      const made = ms <= 0 ? timedOut : await withinTime<V | typeof timedOut>(value, ms, () => timedOut)
      if (made !== timedOut) return made
      // guard: transactions awake
      await trx.query('select 1')
      due = performance.now() + keepAliveIntervalMs
    }
  }
  const begin = () => {
    const next = values.next()
    // When the consumer fails, nobody awaits this value.
    next.catch(() => undefined)
    return next
  }
  let next = begin()
  try {
    for (;;) {
      const { done, value } = await keepAliveUntil(next)
      if (done === true) return
      next = begin()
      yield value
    }
  } finally {
    await values.return()
  }
}
