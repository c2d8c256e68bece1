import type { PGliteLike } from './types.ts'

/**
 * Shares a PGlite, which runs one statement at a time, and measures how long its users wait.
 *
 * @returns `waitedMs`: the longest current wait; 0 when nobody waits
 */
export function sharePglite(pglite: PGliteLike): {
  readonly pglite: PGliteLike
  readonly waitedMs: () => number
} {
  /** The start of each current wait, the oldest first. */
  const waiting = new Map<symbol, number>()
  const wait = () => {
    const one = Symbol('waiting')
    waiting.set(one, performance.now())
    return () => waiting.delete(one)
  }
  return {
    pglite: {
      get closed() {
        return pglite.closed
      },
      parsers: pglite.parsers,
      query: async (text, values, options) => {
        const done = wait()
        try {
          return await pglite.query(text, values, options)
        } finally {
          done()
        }
      },
      transaction: async (work) => {
        const begun = wait()
        try {
          return await pglite.transaction((tx) => {
            begun()
            return work(tx)
          })
        } finally {
          begun()
        }
      },
    },
    waitedMs: () => {
      const [oldest] = waiting.values()
      return oldest === undefined ? 0 : performance.now() - oldest
    },
  }
}
