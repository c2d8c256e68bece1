/**
 * Makes the next value while the last one is used: rows are read and parsed while the database works on those before
 * them.
 */
export async function* oneAhead<T>(values: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = values.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = values.next()
      // Whoever uses the value may fail first: then nobody awaits the next.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    await values.return()
  }
}
