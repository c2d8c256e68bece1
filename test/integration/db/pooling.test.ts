/**
 * Behind a proxy that gives every transaction another connection. With `PGBOUNCER=1` the same tests run behind the
 * real PgBouncer, where it is installed.
 */
import { sql } from 'kysely'
import { Client, Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { executeOutsideTransaction } from '../../../src/db/cancel/execute-outside-transaction.ts'
import { connect } from '../../../src/db/connect.ts'
import { currentProcess } from '../../../src/db/lease/process-identity.ts'
import { takeLease } from '../../../src/db/lease/lease.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { accountOf, responseItem, responsesFrom } from '../../support/accounts/account.ts'
import { freshMirror, freshPlace, onServer } from '../../support/databases/databases.ts'
import { startPgBouncer } from '../../support/databases/pgbouncer.ts'
import { startPoolingProxy } from '../../support/databases/pooling-proxy.ts'
import { startHeadcount } from '../../support/commands/process.ts'
import type { Process } from '../../support/commands/process.ts'
import { errorOf, testKey } from '../../support/http/reading.ts'
import { listSchema } from '../../support/mirror/schema-listing.ts'
import { onPostgresStage, pause } from '../../support/runs/stage.ts'
import type { Stage } from '../../support/runs/stage.ts'

const isReal = process.env['PGBOUNCER'] === '1'
const startPooler = isReal ? startPgBouncer : startPoolingProxy

/** `headcount sync` as a process of its own, behind the proxy. */
function startSync({ service }: Stage, database: string): Process {
  const env = {
    HEADCOUNT_BASE_URL: service.baseUrl.href,
    HEADCOUNT_API_KEY: testKey,
    HEADCOUNT_CONCURRENCY: '1',
    DATABASE_URL: database,
  }
  return startHeadcount(['sync', '--json'], { env })
}

/** As if the running run had sent no heartbeat for so long that it counts as dead. */
const silence = `update headcount.sync_runs set heartbeat_at = now() - interval '31 s' where status = 'running'`

function kept({ mirror }: Stage): unknown {
  return (['events', 'responses', 'payments', 'slots', 'response_history'] as const).map(mirror.rows)
}

describe.skipIf(isReal)('D10 the proxy of these tests breaks what relies on a session:', () => {
  async function client(): Promise<Client & AsyncDisposable> {
    const opened = new AsyncDisposableStack()
    const place = opened.use(await freshPlace('postgres'))
    const proxy = opened.use(await startPoolingProxy(place.url))
    const client = new Client({ connectionString: proxy.url })
    await client.connect()
    opened.defer(() => client.end())
    return Object.assign(client, { [Symbol.asyncDispose]: () => opened.disposeAsync() })
  }

  test('a named prepared statement is unknown to the next transaction', async () => {
    await using on = await client()
    const statement = { name: 'named', text: 'select 1' }
    await on.query(statement)
    expect(await errorOf(on.query(statement))).toMatchObject({ code: '26000' })
  })

  test('settings, temporary tables and locks of a session are elsewhere', async () => {
    await using on = await client()
    await on.query(`set lock_timeout = '7s'`)
    expect((await on.query('show lock_timeout')).rows).not.toEqual([{ lock_timeout: '7s' }])
    await on.query('create temporary table aside (id int)')
    expect(await errorOf(on.query('select * from aside'))).toMatchObject({ code: '42P01' })
    await on.query('select pg_advisory_lock(1)')
    const { rows } = await on.query('select pg_advisory_unlock(1) as unlocked')
    expect(rows).toEqual([{ unlocked: false }])
  })

  test('one transaction has one connection, the next another, and the sessions are not clean', async () => {
    await using on = await client()
    const backend = async () => (await on.query('select pg_backend_pid() as pid')).rows[0] as unknown
    await on.query('begin')
    const [first, second] = [await backend(), await backend()]
    await on.query('commit')
    expect(second).toEqual(first)
    expect(await backend()).not.toEqual(first)
    expect((await on.query('show timezone')).rows).toEqual([{ TimeZone: 'Asia/Kathmandu' }])
  })

  test('a client that goes in the middle of a transaction leaves nothing, and no lock', async () => {
    await using place = await freshPlace('postgres')
    await using proxy = await startPoolingProxy(place.url)
    const gone = new Client({ connectionString: proxy.url })
    gone.on('error', () => {})
    await gone.connect()
    await gone.query('begin')
    await gone.query(`insert into headcount.accounts (name) values ('gone')`)
    gone.connection.stream.destroy()
    await using database = await place.open()
    await database.transaction(async (trx) => {
      await trx.query('lock table headcount.accounts in access exclusive mode')
      expect((await trx.query('select * from headcount.accounts')).rows).toEqual([])
    })
  })

  test('start-up options are refused, and the error says by whom', async () => {
    await using place = await freshPlace('postgres')
    await using proxy = await startPoolingProxy(place.url)
    const error = await errorOf(connect(`${proxy.url}?options=-csearch_path%3Dmine`))
    expect(error.message).toContain('unsupported startup parameter: options')
  })
})

test('D10 two starters migrate a blank database at once: the same schema, and no lock stays behind', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using proxy = await startPooler(place.url)
  await using one = await connect(proxy.url)
  await using other = await connect(proxy.url)
  const applied = await Promise.all([migrate(one), migrate(other)])
  await using direct = await freshMirror('postgres')
  expect(applied.flat()).toHaveLength((await migrationsOf(direct.database)).length)
  expect(await migrate(one)).toEqual([])
  expect(await listSchema(one)).toBe(await listSchema(direct.database))
  await using watcher = await place.open()
  const locks = await watcher.transaction((trx) =>
    trx.query(`select pid from pg_locks where locktype = 'advisory' and database =
                 (select oid from pg_database where datname = current_database())`),
  )
  expect(locks.rows).toEqual([])
})

test('D10 a statement outside of transactions has a search path of its own, and leaves the session as it was', async () => {
  await using place = await freshPlace('postgres')
  await using proxy = await startPooler(place.url)
  for (const url of [place.url, proxy.url]) {
    const pool = new Pool({ connectionString: url, max: 3 })
    await using database = await connect({ pool })
    const given = (await pool.query('show search_path')).rows
    const path = sql<object>`select current_setting('search_path') as path`
    const pinned = [{ path: 'pg_catalog, pg_temp' }]
    const failing = [
      () => sql`select 1 / ${0}::int`.execute(database.kysely),
      () => sql`select from nowhere`.execute(database.kysely),
      () => database.queryAsDriver?.('select 1 / $1::int', [0]),
      () => database.queryAsDriver?.('select 1; select 1 / 0'),
    ]
    for (const fail of failing) {
      await expect(fail()).rejects.toThrow(/division by zero|"nowhere" does not exist/)
      expect((await path.execute(database.kysely)).rows).toEqual(pinned)
    }
    expect((await sql`select ${[1, 2]}::int[] as list`.execute(database.kysely)).rows).toEqual([
      { list: [1, 2] },
    ])
    const { numAffectedRows } =
      await sql`insert into headcount.accounts (name) values (${url}), (${`${url} 2`})`.execute(
        database.kysely,
      )
    expect(numAffectedRows).toBe(2n)
    const asDriver = `select current_setting('search_path') as path`
    expect(await database.queryAsDriver?.(`${asDriver} where $1`, [true])).toEqual(pinned)
    expect(await database.queryAsDriver?.(asDriver)).toEqual(pinned)
    // As pg-boss sends them.
    expect(
      await database.queryAsDriver?.(`/* mark */ begin; set local lock_timeout = 30; ${asDriver}; commit;`),
    ).toEqual(pinned)
    expect(
      await database.queryAsDriver?.(
        `-- mark\n create index concurrently on headcount.accounts (_created_at)`,
      ),
    ).toEqual([])
    const vacuum = 'vacuum headcount.accounts'
    await expect(sql.raw(vacuum).execute(database.kysely)).rejects.toThrow('inside a transaction block')
    await executeOutsideTransaction(database, vacuum, { timeLimitMs: 60_000 })
    expect(await database.transaction(async (trx) => (await trx.query(asDriver)).rows)).toEqual([
      ['pg_catalog, pg_temp'],
    ])
    expect((await pool.query('show search_path')).rows).toEqual(given)
    await pool.end()
  }
})

async function migrationsOf(database: Awaited<ReturnType<typeof connect>>) {
  return database.kysely.selectFrom('headcount.schema_migrations').select('number').execute()
}

onPostgresStage('D10 a run behind the proxy', (stage) => {
  test('from nothing, over changes, deletions and a backfill: the mirror is exact', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 3, ball: 0 }))
    await using proxy = await startPooler(on.url)
    const database = proxy.url
    expect(await on.sync({ database })).toMatchObject({ exit: 0 })
    on.expectMirrored()
    on.account.of('gala').splice(0, 2, responseItem(1, { name: 'Another' }))
    on.account.of('picnic').push(...responsesFrom(4, 2))
    on.account.remove('ball')
    expect(await on.sync({ database })).toMatchObject({
      exit: 0,
      report: { rows: { responses: { inserted: 2, updated: 1, deleted: 1 }, events: { deleted: 1 } } },
    })
    on.expectMirrored()
    expect(await on.backfill({ database })).toMatchObject({ exit: 0, report: { events: { changed: 0 } } })
    on.expectMirrored()
  })
})

onPostgresStage('D9 D10 the lease behind the proxy', (stage) => {
  test('a holder that is killed is taken over at once, and nothing of it stays', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await using proxy = await startPooler(on.url)
    const paused = pause(on, '/events/gala/responses')
    await using holder = startSync(on, proxy.url)
    await paused.reached
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({
      exit: 9,
      error: { code: 'account_busy' },
    })
    holder.kill('SIGKILL')
    await holder.ended
    paused.release()
    expect(await on.sync({ database: proxy.url })).toMatchObject({ exit: 0 })
    on.expectMirrored()
    expect(await statuses(on)).toEqual(['abandoned', 'succeeded'])
  })

  test('a holder stopped by SIGSTOP and woken after the take-over writes nothing', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await using proxy = await startPooler(on.url)
    await on.sync({ database: proxy.url })
    on.account.of('gala').push(...responsesFrom(4, 1))
    const paused = pause(on, '/events/picnic/responses')
    await using holder = startSync(on, proxy.url)
    await paused.reached
    holder.kill('SIGSTOP')
    await on.change(silence)
    expect(await on.sync({ database: proxy.url })).toMatchObject({ exit: 0 })
    const after = [kept(on), on.mirror.states]
    on.account.of('gala').pop()
    paused.release()
    holder.kill('SIGCONT')
    const { code, stderr } = await holder.ended
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('taken over') })
    await on.look()
    expect([kept(on), on.mirror.states]).toEqual(after)
    expect(await statuses(on)).toEqual(['succeeded', 'abandoned', 'succeeded'])
  })

  test('a take-over waits for the batch in flight; when the server ends it, nothing of the batch stays', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await using proxy = await startPooler(on.url)
    await using database = await connect(proxy.url)
    const holder = { ...(await currentProcess()), host: 'elsewhere' }
    const first = await takeLease(database, { accountId: 1, mode: 'sync', holder })
    await first.stopHeartbeat()
    await on.change(silence)
    const fenced = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const batch = database.transaction(
      async (trx) => {
        await first.fence(trx)
        await trx.query(`insert into headcount.accounts (name) values ('in flight')`)
        const { rows } = await trx.query(`select current_setting('idle_in_transaction_session_timeout')`)
        expect(rows).toEqual([['20s']])
        fenced.resolve()
        await ended.promise
        await trx.query(`insert into headcount.accounts (name) values ('awake')`)
      },
      { batch: true },
    )
    await fenced.promise
    let isTaken = false
    const second = takeLease(database, { accountId: 1, mode: 'sync' }).then((lease) => {
      isTaken = true
      return lease
    })
    await isWaiting(on)
    expect(isTaken).toBe(false)
    // What the server does by itself after 20 s with a frozen process.
    await onServer(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${new URL(on.url).pathname.slice(1)}' and state = 'idle in transaction'`,
    )
    await (await second).stopHeartbeat()
    ended.resolve()
    await expect(batch).rejects.toThrow(/terminating connection/)
    expect(await on.query('select name from headcount.accounts')).toEqual([])
    expect(await statuses(on)).toEqual(['abandoned', 'running'])
  })
})

async function statuses(on: Stage): Promise<unknown[]> {
  return (await on.query('select status from headcount.sync_runs order by id')).flat()
}

/** Resolves when a session waits for a lock of another. */
async function isWaiting(on: Stage): Promise<void> {
  const waiting = () =>
    on.query(`select count(*)::int from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`)
  await expect.poll(waiting).toEqual([[1]])
}
