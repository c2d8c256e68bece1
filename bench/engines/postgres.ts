import { Client } from 'pg'
import { startServer } from '../../test/support/databases/postgres-server.ts'
import { makeEmpty, markNow } from './write-counters.ts'
import type { Engine, Mirror } from './engine.ts'

/** A Postgres 18 of the bench's own, all settings as they come: checksums, fsync, 128 MB of shared buffers. */
export async function startPostgres(folder: string): Promise<Engine> {
  const server = await startServer({ settings: [], parent: folder })
  const { origin } = server
  let made = 0
  const mirrorIn = (name: string, mark: Mirror['mark']): Mirror => ({
    url: `${origin}/${name}`,
    mark,
    [Symbol.asyncDispose]: () => run(origin, `drop database ${name} with (force)`),
  })
  try {
    await server.createDatabase('bench_empty')
    return {
      name: 'postgres',
      empty: mirrorIn('bench_empty', await makeEmpty(`${origin}/bench_empty`)),
      copy: async ({ url }) => {
        const name = `bench_${(made += 1)}`
        const template = new URL(url).pathname.slice(1)
        await run(origin, `create database ${name} template ${template} strategy file_copy`)
        // The WAL is that of the whole server: copying has moved it on.
        return mirrorIn(name, await markNow(`${origin}/${name}`))
      },
      [Symbol.asyncDispose]: () => server.stop(),
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function run(origin: string, statement: string): Promise<void> {
  const client = new Client(`${origin}/postgres`)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
