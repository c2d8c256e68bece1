import type { PGliteLike } from './types.ts'

/** A PGlite, which does one thing after the other, and how long those who share it are kept waiting. */
export interface Shared {
  /** The same; whoever asks it is counted while he waits. */
  readonly pglite: PGliteLike
  /** Of the one who has waited longest until now; 0 when nobody does. */
  readonly waitedMs: () => number
}

export function sharePglite(pglite: PGliteLike): Shared {
  /** Since when each waits, the oldest first. */
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
