/** A database of a real Postgres server; a run that dies loses its connections in the middle. */
import { Client, Query } from 'pg'
import type { Pool, QueryConfig, QueryResult } from 'pg'
import type { CopyStreamQuery as Copy } from 'pg-copy-streams'
import { startEndingProxy } from '../../support/databases/database-proxy.ts'
import { openPool } from '../../support/databases/pools.ts'
import { startPostgres } from '../../support/databases/postgres.ts'
import { Counter, isFence } from './engine.ts'
import type { Breakage, Engine } from './engine.ts'

export async function openPostgres(): Promise<Engine> {
  const { url, stop } = await startPostgres()
  const connectionString = `${url}/mirror_template`
  const client = new Client({ connectionString, types: { getTypeParser: () => (text: string) => text } })
  await client.connect()
  const proxy = await startEndingProxy(connectionString)
  return {
    name: 'postgres',
    forRun: (breakage) => {
      const pool = (counter: Counter, url: string) =>
        openPool(url, { max: 4, Client: clientFor(counter, breakage) })
      if (breakage?.how !== 'ends_when_ready') {
        const broken = new Counter(breakage)
        return lend(pool(broken, connectionString), broken)
      }
      proxy.end((number) => number === breakage.at)
      const broken = new Counter(breakage, () => proxy.ended)
      return lend(pool(broken, proxy.url), broken)
    },
    ask: async (text) => {
      const { rows } = await client.query<(string | null)[]>({ text, rowMode: 'array' })
      return rows
    },
    [Symbol.asyncDispose]: async () => {
      await client.end()
      await proxy[Symbol.asyncDispose]()
      await stop()
    },
  }
}

function lend(pool: Pool, broken: Counter) {
  return { option: { pool }, broken, [Symbol.asyncDispose]: () => pool.end() }
}

type Submitted = Copy | Query

/** As pg's client does with what it cannot send. */
function fail(query: Submitted, error: unknown): void {
  if (query instanceof Query && 'handleError' in query)
    Reflect.apply(Object(query.handleError), query, [error])
  else query.emit('error', error)
}

function clientFor(counter: Counter, breakage: Breakage | null): typeof Client {
  if (breakage === null) return Client
  return class extends Client {
    constructor(config?: ConstructorParameters<typeof Client>[0]) {
      super(config)
      const send: <Sent extends QueryConfig | Submitted>(
        query: Sent,
      ) => Sent extends Submitted ? Sent : Promise<QueryResult> = this.query.bind(this)
      let isInBatch = false
      const sendOne = async (query: QueryConfig) => {
        try {
          counter.pass(isInBatch)
          const result = await send(query)
          isInBatch =
            query.text !== 'commit' && query.text !== 'rollback' && (isInBatch || isFence(query.text))
          if (query.text === 'commit') counter.committed()
          return result
        } catch (error) {
          // The server sees a process die by the end of its connections, and rolls back what was open.
          if (counter.isDead) this.#cut()
          throw error
        }
      }
      // A COPY is sent as a stream, a transaction of one statement as a query with a callback: each says itself that it failed.
      const submit = (query: Submitted) => {
        try {
          counter.pass(isInBatch)
          return send(query)
        } catch (error) {
          if (counter.isDead) this.#cut()
          process.nextTick(() => fail(query, error))
          return query
        }
      }
      Reflect.set(this, 'query', (query: QueryConfig | Submitted) =>
        'submit' in query ? submit(query) : sendOne(query),
      )
    }

    #cut(): void {
      const connection: unknown = Reflect.get(this, 'connection')
      const stream: unknown = Reflect.get(Object(connection), 'stream')
      if (stream instanceof Object && 'destroy' in stream) Reflect.apply(Object(stream.destroy), stream, [])
    }
  }
}
