/** PGlite in memory, held by the simulation and lent to each run. */
import { PGlite } from '@electric-sql/pglite'
import { migrate } from '../../src/index.ts'
import type { RunOptions } from '../../src/index.ts'
import { asText } from './as-text.ts'
import { Counter, isFence } from './engine.ts'
import type { Breakage, Engine } from './engine.ts'

type Lent = NonNullable<RunOptions['pglite']>

export async function openPglite(): Promise<Engine> {
  const pglite = await PGlite.create()
  await migrate({ pglite })
  return {
    name: 'pglite',
    forRun: (breakage) => {
      const broken = new Counter(breakage)
      return {
        option: { pglite: fragile(pglite, broken, breakage) },
        broken,
        [Symbol.asyncDispose]: async () => {},
      }
    },
    ask: async (text) => {
      const { rows } = await pglite.query<(string | null)[]>(text, [], { rowMode: 'array', parsers: asText })
      return rows
    },
    [Symbol.asyncDispose]: () => pglite.close(),
  }
}

function fragile(pglite: PGlite, counter: Counter, breakage: Breakage | null): Lent {
  if (breakage === null) return pglite
  return {
    parsers: pglite.parsers,
    closed: false,
    query: async (text, values, options) => {
      counter.pass(false)
      return pglite.query(text, values, options)
    },
    transaction: async (work) => {
      counter.pass(false)
      const result = await pglite.transaction(async (tx) => {
        let isInBatch = false
        const query: typeof tx.query = async (text, values, options) => {
          counter.pass(isInBatch)
          isInBatch ||= isFence(text)
          return tx.query(text, values, options)
        }
        const done = await work({ ...tx, query })
        counter.pass(isInBatch)
        return done
      })
      counter.committed()
      return result
    },
  }
}
