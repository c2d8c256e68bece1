import type { Transaction } from '../db/transaction.ts'

/** The server ends a transaction in which nothing is sent for 20 s (db/transaction.ts): well below that. */
const AWAKE_EVERY_MS = 5000
const isDue = Symbol('something must be sent')

/**
 * Makes the next value while the last one is used: rows are read and parsed while the database works on those before
 * them. However long the values take, the transaction stays awake, as long as this process does.
 */
export async function* oneAhead<T>(
  trx: Pick<Transaction, 'query'>,
  values: AsyncGenerator<T, void>,
  awakeEveryMs = AWAKE_EVERY_MS,
): AsyncGenerator<T, void> {
  let due = performance.now() + awakeEveryMs
  async function awake<V>(value: Promise<V>): Promise<V> {
    for (;;) {
      const made = await within(due - performance.now(), value)
      if (made !== isDue) return made
      await trx.query('select 1')
      due = performance.now() + awakeEveryMs
    }
  }
  const begin = () => {
    const next = values.next()
    // Whoever uses the value before may fail first: then nobody awaits this one.
    next.catch(() => undefined)
    return next
  }
  let next = begin()
  try {
    for (;;) {
      const { done, value } = await awake(next)
      if (done === true) return
      next = begin()
      yield value
    }
  } finally {
    await values.return()
  }
}

async function within<T>(ms: number, value: Promise<T>): Promise<T | typeof isDue> {
  if (ms <= 0) return isDue
  const late = Promise.withResolvers<typeof isDue>()
  const timer = setTimeout(late.resolve, ms, isDue)
  try {
    return await Promise.race([value, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
