/** PGlite in memory, held by the simulation and lent to each run. */
import { PGlite } from '@electric-sql/pglite'
import type { QueryOptions } from '@electric-sql/pglite'
import { migrate } from '../../../src/index.ts'
import type { RunOptions } from '../../../src/index.ts'
import { asText } from './as-text.ts'
import { Counter, isFence } from './engine.ts'
import type { Engine } from './engine.ts'

type Lent = NonNullable<RunOptions['pglite']>

export async function openPglite(): Promise<Engine> {
  const pglite = await PGlite.create()
  await migrate({ pglite })
  return {
    name: 'pglite',
    forRun: (breakage) => {
      const broken = new Counter(breakage)
      return {
        option: { pglite: fragile(pglite, broken) },
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

const withReaders = new WeakSet<PGlite>()

function fragile(pglite: PGlite, counter: Counter): Lent {
  // PGlite copies the readers that come with a statement, 600 of them: it has those of the first one for good.
  const options = (given: QueryOptions | undefined): QueryOptions => {
    const { parsers, ...others } = given ?? {}
    if (parsers !== undefined && !withReaders.has(pglite)) {
      Object.assign(pglite.parsers, parsers)
      withReaders.add(pglite)
    }
    return others
  }
  return {
    parsers: pglite.parsers,
    closed: false,
    query: async (text, values, given) => {
      counter.pass(false)
      return pglite.query(text, values, options(given))
    },
    transaction: async (work) => {
      counter.pass(false)
      const result = await pglite.transaction(async (tx) => {
        let isInBatch = false
        const query: typeof tx.query = async (text, values, given) => {
          counter.pass(isInBatch)
          isInBatch ||= isFence(text)
          return tx.query(text, values, options(given))
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
