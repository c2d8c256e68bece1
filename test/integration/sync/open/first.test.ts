/** The first run of all: what there is before the service has answered. */
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { schemaState } from '../../../../src/db/migrate.ts'
import { backfill, sync } from '../../../../src/index.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { send, startFaultServer } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'
import { startServe } from '../../../support/commands/process.ts'

const parent = await mkdtemp(join(tmpdir(), 'headcount-test-first-'))
afterAll(() => rm(parent, { recursive: true }))

/** A service that refuses what is asked for at this path, when one is named. */
async function startService(refused: string | null = null, status = 200) {
  const account = accountOf({ gala: 3 })
  const service = await startFaultServer()
  service.always(
    send((request) => (request.path === `/api/v1${refused}` ? { status } : account.answer(request))),
  )
  return service
}

const refusals = [
  ['/ping', 401, 'key_refused'],
  ['/events', 403, 'key_refused'],
  ['/events', 404, 'usage'],
  ['/ping', 400, 'contract'],
] as const

describe('I3 before there is a mirror', () => {
  test.each(refusals)('%s with %d leaves no folder', async (path, status, code) => {
    await using service = await startService(path, status)
    const folder = join(parent, 'data')
    const options = { database: `pglite:${folder}`, apiKey: testKey, baseUrl: service.baseUrl.href }
    for (const run of [sync, backfill]) await expect(run(options)).rejects.toMatchObject({ code })
    await expect(access(folder)).rejects.toThrow('ENOENT')
  })

  test('the same refusals leave a Postgres without a schema, and an answer is not asked for twice', async () => {
    await using place = await freshPlace('postgres', { blank: true })
    for (const [path, status, code] of refusals) {
      await using service = await startService(path, status)
      const options = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
      await expect(sync(options)).rejects.toMatchObject({ code })
      await using database = await connect(place.url)
      expect((await schemaState(database)).current).toBe(0)
    }
    await using service = await startService()
    const options = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
    expect(await sync(options)).toMatchObject({ status: 'succeeded', requests: 3 })
    expect(await sync(options)).toMatchObject({ status: 'succeeded', events: { due: 1, changed: 0 } })
  })
})

test('I3 on the command line: a refused key leaves nothing, and query says that nothing was mirrored', async () => {
  const cwd = parent
  await using s = await commandStage('postgres', accountOf({ gala: 3, picnic: 1 }))
  const folder = `pglite:${join(parent, 'cli')}`
  const env = { DATABASE_URL: folder }
  s.service.at('/ping', ...Array.from({ length: 3 }, () => send(() => ({ status: 401, body: {} }))))
  expect((await s.run(['sync', '-q'], { env, cwd })).code).toBe(3)
  expect((await s.run(['worker', '-q'], { env, cwd })).code).toBe(3)
  await using served = startServe(['--sync'], { env: { ...s.env, ...env } })
  expect((await served.ended).code).toBe(3)
  const none = await s.run(['query', 'select count(*) from events'], { env, cwd })
  expect(none).toMatchObject({ code: 5, stdout: '' })
  expect(none.stderr).toContain('There is no mirror in the folder')
  expect(await readdir(parent)).toEqual([])

  const count = ['query', 'select count(*) as events from events']
  const empty = await s.run(count)
  expect(empty).toMatchObject({ code: 5, stdout: '' })
  expect(empty.stderr).toContain('Nothing was read into this mirror yet (it has no account)')
  s.service.at(
    '/ping',
    send(() => ({ status: 401, body: {} })),
  )
  expect((await s.run(['sync', '-q'])).code).toBe(3)
  expect((await s.run(count)).stderr).toContain('(the last run of account default is failed)')

  s.service.at('/events/gala/responses', ...Array.from({ length: 9 }, () => send(() => ({ status: 500 }))))
  expect((await s.run(['sync', '-q'])).code).toBe(6)
  const part = await s.run(count)
  expect(part).toMatchObject({ code: 0, stdout: 'events\n1\n' })
  expect(part.stderr).toContain('account default had no good run yet, so that rows of it may be missing')
  s.service.at('/events/gala/responses')
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  expect(await s.run(count)).toEqual({ code: 0, stdout: 'events\n2\n', stderr: '' })
})
