/** When nothing true can be said, 503 is; the service comes back by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshMirror, type Mirror, onServer } from '../../../support/databases/databases.ts'
import { listening, mirrorStore } from '../../../support/http/http-service.ts'
import { addAccount, type MirroredAccount } from '../../../support/accounts/many-accounts.ts'
import { closing, exchange, requestText } from '../../../support/http/raw-http.ts'
import { expectSilence } from '../../../support/mirror/shared-mirror.ts'

let mirror: Mirror
let account: MirroredAccount
beforeAll(async () => {
  mirror = await freshMirror('postgres')
  account = await addAccount(mirror.database, 'north')
})
afterAll(() => mirror[Symbol.asyncDispose]())
expectSilence()

const keyed = ['/api/v1/ping', '/api/v1/events', '/api/v1/events/of-north/responses']

async function change(statement: string, values: unknown[] = []): Promise<void> {
  await mirror.database.transaction((trx) => trx.query(statement, values))
}

async function ask(port: number, path: string, key = account.key) {
  const [answer] = await exchange(port, requestText(path, [['X-API-Key', key], closing]))
  if (answer === undefined) throw new Error(`${path} was not answered.`)
  const { code } = JSON.parse(answer.body)
  return { status: answer.status, code: code as unknown, retryAfter: Number(answer.headers['retry-after']) }
}

async function expectAll(port: number, status: number, code?: string): Promise<void> {
  for (const path of keyed) {
    const answer = await ask(port, path)
    expect([path, answer.status, answer.code]).toEqual([path, status, code])
    if (status === 503) expect(answer.retryAfter).toBeGreaterThan(0)
  }
}

describe('while the schema is another one', () => {
  test.each([
    [
      'older',
      'delete from headcount.schema_migrations where number = (select max(number) from headcount.schema_migrations)',
    ],
    ['newer', `insert into headcount.schema_migrations (number, name) values (9999, 'to come')`],
    ['in parts, without the keys', 'alter table headcount.api_keys rename to former_keys'],
    ['gone', 'alter schema headcount rename to former'],
  ])('%s, nothing is served, whatever the key', async (_, statement) => {
    await using own = await freshMirror('postgres')
    const { key } = await addAccount(own.database, 'north')
    const { port } = await listening(mirrorStore(own.database))
    expect((await ask(port, '/api/v1/ping', key)).status).toBe(200)
    await own.database.transaction((trx) => trx.query(statement))
    for (const path of keyed) {
      for (const sent of [key, 'wrong']) {
        const expected = { status: 503, code: 'not_ready', retryAfter: 5 }
        expect([path, await ask(port, path, sent)]).toEqual([path, expected])
      }
    }
    expect((await ask(port, '/healthz', key)).status).toBe(200)
  })

  test('and is the right one again, all is served again', async () => {
    const { port } = await listening(mirrorStore(mirror.database))
    await change(`insert into headcount.schema_migrations (number, name) values (9999, 'to come')`)
    await expectAll(port, 503, 'not_ready')
    expect(await ask(port, '/readyz')).toMatchObject({ status: 503, code: 'not_ready' })
    await change('delete from headcount.schema_migrations where number = 9999')
    await expectAll(port, 200)
    expect((await ask(port, '/readyz')).status).toBe(200)
  })
})

test('X7 while the database is away, 503 without particulars; when it is back, all is served again', async () => {
  const { port, errors } = await listening(mirrorStore(mirror.database))
  await expectAll(port, 200)
  const name = new URL(mirror.url).pathname.slice(1)
  await onServer(`alter database ${name} allow_connections false`)
  await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await expectAll(port, 503, 'not_ready')
  expect(await ask(port, '/api/v1/ping', 'wrong')).toMatchObject({ status: 503, code: 'not_ready' })
  const [answer] = await exchange(port, requestText('/readyz', [closing]))
  expect(answer?.status).toBe(503)
  expect(answer?.body).not.toMatch(/postgres|127\.0\.0\.1|mirror_/i)
  expect(errors.length).toBeGreaterThan(0)
  await onServer(`alter database ${name} allow_connections true`)
  await expectAll(port, 200)
  expect((await ask(port, '/readyz')).status).toBe(200)
})

test('D7 a list whose table is locked is 503 after a while, and all else is answered meanwhile', async () => {
  const { port, errors } = await listening(mirrorStore(mirror.database))
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = mirror.database.transaction(async (trx) => {
    await trx.query('lock table headcount.responses')
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const list = ask(port, '/api/v1/events/of-north/responses')
  expect((await ask(port, '/api/v1/events')).status).toBe(200)
  expect(await list).toEqual({ status: 503, code: 'not_ready', retryAfter: 5 })
  released.resolve()
  await locking
  expect(errors).toEqual([expect.objectContaining({ code: 'database' })])
  await expectAll(port, 200)
})

test('a list that was not read yet is not mirrored, and never an empty one', async () => {
  const { port } = await listening(mirrorStore(mirror.database))
  const young = await addAccount(mirror.database, 'young')
  await change(`delete from headcount.sync_state where event_id = 'of-young'`)
  const list = '/api/v1/events/of-young/responses'
  expect(await ask(port, list, young.key)).toEqual({ status: 503, code: 'not_mirrored', retryAfter: 60 })
  expect((await ask(port, '/api/v1/events', young.key)).status).toBe(200)
  // So it stands after a first reading that failed.
  await change(`update headcount.sync_state set checked_at = null, digest = null where event_id = 'of-all'`)
  const failed = await ask(port, '/api/v1/events/of-all/responses', young.key)
  expect([failed.status, failed.code]).toEqual([503, 'not_mirrored'])
  await change(
    `delete from headcount.sync_state where account_id = (select id from headcount.accounts where name = 'young')`,
  )
  expect(await ask(port, '/api/v1/events', young.key)).toMatchObject({ status: 503, code: 'not_mirrored' })
  expect((await ask(port, '/api/v1/ping', young.key)).status).toBe(200)
  expect((await ask(port, '/api/v1/events/of-nobody/responses', young.key)).status).toBe(404)
})

test('beyond --max-age, counted from the last run that left nothing out, nothing of the account is served', async () => {
  const { port } = await listening(mirrorStore(mirror.database, { maxAgeMs: 3_600_000 }))
  await expectAll(port, 200)
  await change(`update headcount.sync_runs set started_at = now() - interval '61 minutes'`)
  await expectAll(port, 503, 'too_old')
  expect((await ask(port, '/api/v1/ping', 'wrong')).status).toBe(401)
  const run = (mode: string) =>
    change(`insert into headcount.sync_runs (account_id, mode, status, named_events_only, finished_at)
            select id, 'sync', ${mode}, now() from headcount.accounts where name = 'north'`)
  await run(`'partial', false`)
  await run(`'succeeded', true`)
  await expectAll(port, 503, 'too_old')
  // No such run at all.
  await change(`update headcount.sync_runs set status = 'partial'`)
  await expectAll(port, 503, 'too_old')
  await run(`'held', false`)
  await expectAll(port, 200)
  // By a clock that was ahead and was set right.
  await change(`update headcount.sync_runs set started_at = now() + interval '1 day'`)
  await expectAll(port, 503, 'too_old')
  await change('delete from headcount.sync_runs')
  await expectAll(port, 503, 'too_old')
})

test('S17 with --max-age a list of which deletions are held is as old as the last run that held nothing', async () => {
  await using own = await freshMirror('postgres')
  const { key } = await addAccount(own.database, 'north')
  const { port } = await listening(
    mirrorStore(own.database, { maxAgeMs: 3_600_000, holdForMs: 24 * 3_600_000 }),
  )
  const run = (statement: string, values: unknown[] = []) =>
    own.database.transaction((trx) => trx.query(statement, values))
  const hold = (list: string, reason: string) =>
    run(
      `update headcount.sync_state
          set held_deletion_count = 1, held_deletions_since = now(), held_deletions = jsonb_build_array(jsonb_build_object(
                'since', now(), 'reason', $2::text, 'ids', jsonb_build_array('1')))
        where event_id = $1`,
      [list, reason],
    )
  const all = async () => Promise.all(keyed.map(async (path) => (await ask(port, path, key)).code))
  await hold('of-north', 'many_missing')
  expect(await all()).toEqual([undefined, undefined, undefined])
  await run(`update headcount.sync_runs set started_at = now() - interval '61 minutes'`)
  await run(
    `insert into headcount.sync_runs (account_id, mode, status) select id, 'sync', 'held' from headcount.accounts`,
  )
  expect(await all()).toEqual([undefined, undefined, 'too_old'])
  await hold('', 'list_empty')
  expect(await all()).toEqual([undefined, 'held', 'too_old'])
})
