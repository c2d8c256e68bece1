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
      const made = await within(due - performance.now(), value)
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

async function within<T>(ms: number, value: Promise<T>): Promise<T | typeof timedOut> {
  if (ms <= 0) return timedOut
  const late = Promise.withResolvers<typeof timedOut>()
  const timer = setTimeout(late.resolve, ms, timedOut)
  try {
    return await Promise.race([value, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
