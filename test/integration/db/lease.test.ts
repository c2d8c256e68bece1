import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/connect.ts'
import { currentProcess } from '../../../src/db/lease/process-identity.ts'
import type { ProcessIdentity } from '../../../src/db/lease/process-identity.ts'
import { takeLease } from '../../../src/db/lease/lease.ts'
import { AccountLockedError, LeaseLostError } from '../../../src/common/errors.ts'
import { freshPlace, onBoth } from '../../support/databases/databases.ts'
import { reportWith } from '../../support/runs/report.ts'

const accountId = 7
const mode = 'sync'

const report = reportWith({ status: 'partial' })

async function elsewhere(): Promise<ProcessIdentity> {
  return { ...(await currentProcess()), host: 'elsewhere', pid: 4711 }
}

async function makeSilent(database: Database, runId: string, seconds: number): Promise<void> {
  await database.transaction((trx) =>
    trx.query(
      `update headcount.sync_runs set heartbeat_at = now() - make_interval(secs => $2) where id = $1`,
      [runId, seconds],
    ),
  )
}

async function runs(database: Database): Promise<unknown[]> {
  return database.kysely
    .selectFrom('headcount.sync_runs')
    .select((row) => ['id', 'status', row('finished_at', 'is not', null).as('finished')])
    .orderBy('id')
    .execute()
}

onBoth('the lease', (fresh, engine) => {
  test('is a running row that names its holder, and is closed with status and report', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    const lease = await takeLease(database, { accountId, mode: 'backfill' })
    const row = await database.kysely.selectFrom('headcount.sync_runs').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      id: lease.runId,
      account_id: accountId,
      mode: 'backfill',
      status: 'running',
      holder: await currentProcess(),
      started_at: lease.startedAt,
      finished_at: null,
    })
    await lease.stopHeartbeat()
    await database.transaction(async (trx) => {
      await lease.fence(trx)
      await lease.close(trx, 'partial', report)
    })
    const closed = await database.kysely
      .selectFrom('headcount.sync_runs')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(closed).toMatchObject({ status: 'partial', report })
    expect(closed.finished_at).not.toBeNull()
    const next = await takeLease(database, { accountId, mode })
    await next.stopHeartbeat()
  })

  test('D8 two at once: one has it, the other is refused at once with the name of the first', async () => {
    await using mirror = await fresh()
    const begin = performance.now()
    const both = await Promise.allSettled([
      takeLease(mirror.database, { accountId, mode }),
      takeLease(mirror.database, { accountId, mode }),
    ])
    expect(performance.now() - begin).toBeLessThan(20_000)
    const refused = both.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    expect(refused).toHaveLength(1)
    expect(refused[0]).toBeInstanceOf(AccountLockedError)
    const { pid, host } = await currentProcess()
    expect(refused[0]?.message).toMatch(
      new RegExp(`sync [12], process ${pid} on ${host}, since \\d{4}-.*Z, last heartbeat \\d+ s ago`),
    )
    const other = await takeLease(mirror.database, { accountId: 8, mode })
    await other.stopHeartbeat()
    for (const result of both) if (result.status === 'fulfilled') await result.value.stopHeartbeat()
  })

  test('D9 a holder whose process is gone is taken over at once', async () => {
    await using mirror = await fresh()
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const first = await takeLease(mirror.database, {
      accountId,
      mode,
      holder: { ...(await currentProcess()), pid },
    })
    await first.stopHeartbeat()
    const second = await takeLease(mirror.database, { accountId, mode })
    await second.stopHeartbeat()
    expect(await runs(mirror.database)).toEqual([
      { id: '1', status: 'abandoned', finished: true },
      { id: '2', status: 'running', finished: false },
    ])
  })

  test('D9 a process number of another host or process namespace says nothing: it is not taken over', async () => {
    await using mirror = await fresh()
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const holder = { ...(await currentProcess()), pid, pid_namespace: 'pid:[1]' }
    const first = await takeLease(mirror.database, { accountId, mode, holder })
    await first.stopHeartbeat()
    await expect(takeLease(mirror.database, { accountId, mode })).rejects.toThrow(AccountLockedError)
  })

  test('D9 a silent holder is watched until its last beat is 30 s old, then taken over', async () => {
    await using mirror = await fresh()
    const first = await takeLease(mirror.database, { accountId, mode, holder: await elsewhere() })
    await first.stopHeartbeat()
    const begin = performance.now()
    await makeSilent(mirror.database, first.runId, 28.5)
    const second = await takeLease(mirror.database, { accountId, mode })
    await second.stopHeartbeat()
    expect(performance.now() - begin).toBeGreaterThan(1000)
  })

  test('a silent holder that beats again is left alone', async () => {
    await using mirror = await fresh()
    const first = await takeLease(mirror.database, { accountId, mode, holder: await elsewhere() })
    await first.stopHeartbeat()
    await makeSilent(mirror.database, first.runId, 20)
    const second = expect(takeLease(mirror.database, { accountId, mode })).rejects.toThrow(AccountLockedError)
    await sleep(300)
    await makeSilent(mirror.database, first.runId, 0)
    await second
  })

  test('O6 a beat in the future is no sign of life: its holder is watched, and left alone when it beats', async () => {
    await using mirror = await fresh()
    const first = await takeLease(mirror.database, { accountId, mode, holder: await elsewhere() })
    await first.stopHeartbeat()
    await makeSilent(mirror.database, first.runId, -86_400)
    const watch = takeLease(mirror.database, { accountId, mode })
    const refused = expect(watch).rejects.toThrow(AccountLockedError)
    const first_seen = await Promise.race([watch.then(String, String), sleep(1500, 'watching')])
    expect(first_seen).toBe('watching')
    await makeSilent(mirror.database, first.runId, 0)
    await refused
  })

  test('an abort ends the watch', async () => {
    await using mirror = await fresh()
    const first = await takeLease(mirror.database, { accountId, mode, holder: await elsewhere() })
    await first.stopHeartbeat()
    await makeSilent(mirror.database, first.runId, 16)
    const signal = AbortSignal.timeout(200)
    await expect(takeLease(mirror.database, { accountId, mode, signal })).rejects.toThrow(/abort|timeout/i)
  })

  test('D9 after a take-over the first writes nothing more: neither a batch nor its close', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    const first = await takeLease(database, { accountId, mode, holder: await elsewhere() })
    await makeSilent(database, first.runId, 31)
    const second = await takeLease(database, { accountId, mode })
    const batch = database.transaction(async (trx) => {
      await first.fence(trx)
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'late' }).execute()
    })
    await expect(batch).rejects.toThrow(LeaseLostError)
    expect(first.lost.aborted).toBe(true)
    const close = database.transaction((trx) => first.close(trx, 'succeeded', report))
    await expect(close).rejects.toThrow(LeaseLostError)
    expect(await database.kysely.selectFrom('headcount.accounts').selectAll().execute()).toEqual([])
    await database.transaction((trx) => second.fence(trx))
    await second.stopHeartbeat()
  })

  test('D9 a take-over waits for the batch in flight', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    const first = await takeLease(database, { accountId, mode, holder: await elsewhere() })
    await first.stopHeartbeat()
    await makeSilent(database, first.runId, 31)
    const fenced = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const batch = database.transaction(async (trx) => {
      await first.fence(trx)
      fenced.resolve()
      await done.promise
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'in flight' }).execute()
    })
    await fenced.promise
    let taken = false
    const second = takeLease(database, { accountId, mode }).then((lease) => {
      taken = true
      return lease
    })
    await sleep(300)
    expect(taken).toBe(false)
    done.resolve()
    await batch
    await (await second).stopHeartbeat()
    expect(await database.kysely.selectFrom('headcount.accounts').select('name').execute()).toEqual([
      { name: 'in flight' },
    ])
  })

  test('the heart beats every 5 s, also while a batch is open on Postgres, and tells when the run is lost', async () => {
    await using mirror = await fresh()
    const { database } = mirror
    const lease = await takeLease(database, { accountId, mode })
    const beat = () =>
      database.kysely.selectFrom('headcount.sync_runs').select('heartbeat_at').executeTakeFirstOrThrow()
    const before = await beat()
    const wait = async () => expect.poll(beat, { timeout: 20_000 }).not.toEqual(before)
    if (engine === 'postgres') {
      await database.transaction(async (trx) => {
        await lease.fence(trx)
        await wait()
      })
    } else {
      await wait()
    }
    await database.kysely.updateTable('headcount.sync_runs').set({ status: 'abandoned' }).execute()
    await expect.poll(() => lease.lost.aborted, { timeout: 20_000 }).toBe(true)
    expect(lease.lost.reason).toBeInstanceOf(LeaseLostError)
  })
})

test('D9 a holder frozen in the middle of a batch: the server ends its transaction, the next run takes over, and the first wakes to nothing', async () => {
  await using place = await freshPlace('postgres')
  const module = (path: string) => JSON.stringify(new URL(`../../../src/db/${path}`, import.meta.url).href)
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { connect } from ${module('connect.ts')}
       import { takeLease } from ${module('lease/lease.ts')}
       const database = await connect(process.argv[1])
       const lease = await takeLease(database, { accountId: ${accountId}, mode: 'sync' })
       try {
         await database.transaction(async (trx) => {
           await lease.fence(trx)
           await trx.query("insert into headcount.accounts (name) values ('frozen')")
           console.log('frozen')
           process.kill(process.pid, 'SIGSTOP')
           await new Promise((resolve) => setTimeout(resolve, 500))
           await trx.query("insert into headcount.accounts (name) values ('awake')")
         }, { batch: true })
         console.log('wrote')
       } catch (error) {
         console.log(error.name)
       }
       process.exit()`,
      place.url,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text.trim()))
  await once(child.stdout, 'data')

  await using database = await place.open()
  const run = await database.kysely.selectFrom('headcount.sync_runs').select('id').executeTakeFirstOrThrow()
  await makeSilent(database, run.id, 31)
  const lease = await takeLease(database, { accountId, mode })
  await lease.stopHeartbeat()
  child.kill('SIGCONT')
  await once(child, 'close')
  expect(lines).toEqual(['frozen', 'TransactionFailedError'])
  expect(await database.kysely.selectFrom('headcount.accounts').selectAll().execute()).toEqual([])
})
