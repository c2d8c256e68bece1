import type { TestProject } from 'vitest/node'
import { connect } from '../../../src/db/connect.ts'
import type { Database } from '../../../src/db/connect.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { fastFolder } from '../files/fast-folder.ts'
import { otherPostgres } from './other-postgres.ts'
import { startServer } from './postgres-server.ts'

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
  const { origin, createDatabase, stop } = await startServer({
    settings: [
      'max_connections=200',
      // Tests look into the WAL of what they wrote, while others write hundreds of megabytes.
      'wal_keep_size=1GB',
      // Nothing here outlives the machine: a server that is killed loses nothing by it.
      'fsync=off',
    ],
    parent: fastFolder,
    ...(major !== '18' && { library: otherPostgres(major) }),
  })
  try {
    await createDatabase('mirror_template')
    await using database = await connect(`${origin}/mirror_template`)
    await requireMajor(database)
    await migrate(database)
    return { url: origin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What is tested must be what was asked for. */
async function requireMajor(database: Database): Promise<void> {
  const { rows } = await database.transaction((trx) => trx.query('show server_version'), { readOnly: true })
  const version = String(rows[0]?.[0])
  if (!version.startsWith(`${major}.`)) throw new Error(`This is Postgres ${version}, not ${major}.`)
}
