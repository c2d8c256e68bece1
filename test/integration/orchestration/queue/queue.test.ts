/** The queue in Postgres, all of it behind a proxy that gives every transaction another connection. */
import { describe, expect, test, vi } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { aborted } from '../../../../src/common/abort.ts'
import {
  AccountLockedError,
  AccountMismatchError,
  AuthenticationError,
  InterruptedError,
  OutageError,
} from '../../../../src/common/errors.ts'
import { fetchJobs } from '../../../../src/orchestration/queue/jobs/fetch-jobs.ts'
import {
  done,
  outcomeOfError,
  outcomeOfUnknown,
} from '../../../../src/orchestration/queue/jobs/job-outcome.ts'
import {
  startJobRunner,
  type JobRunner,
  type JobRunnerOptions,
} from '../../../../src/orchestration/queue/jobs/job-runner.ts'
import { readQueue } from '../../../../src/orchestration/queue/jobs/list-jobs.ts'
import { openQueue } from '../../../../src/orchestration/queue/open-queue.ts'
import { MAX_RETRIES } from '../../../../src/orchestration/queue/queues.ts'
import { queueHealthOf } from '../../../../src/orchestration/queue/queue-health.ts'
import { purgeDeadLetters, retryDeadLetters } from '../../../../src/orchestration/queue/jobs/dead-letters.ts'
import { now as monotonicNow } from '../../../../src/orchestration/schedule/monotonic-time.ts'
import { createOwnTables } from '../../../../src/orchestration/queue/schema.ts'
import { settle } from '../../../../src/orchestration/queue/jobs/settle.ts'
import { freshMirror, freshPlace } from '../../../support/databases/databases.ts'
import { startPoolingProxy } from '../../../support/databases/pooling-proxy.ts'
import { startPgBouncer } from '../../../support/databases/pgbouncer.ts'
import { errorOf } from '../../../support/http/reading.ts'
import { dispatcherOf, openQueueStage, queueAccount, type QueueStage } from '../../../support/queue/open.ts'

const startPooler = process.env['PGBOUNCER'] === '1' ? startPgBouncer : startPoolingProxy

const everyHost = new Set<string>()
const one = { count: 1, runsPerHost: 100, hosts: everyHost }
const all = { account: null, limit: 100 }

/** An account is due again, as after so long. */
const overdue = `update headcount_queue.schedules set next_due_at = now() - interval '3 hours'`
/** A job whose back-off has passed. */
const now = 'update headcount_queue.job set start_after = now()'

describe('the schema of the queue', () => {
  test('D10 four processes make it at once behind a transaction-pooling proxy: no lock stays, and all can work', async () => {
    await using place = await freshPlace('postgres')
    await using proxy = await startPooler(place.url)
    await using opened = new AsyncDisposableStack()
    const queues = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const database = opened.use(await connect(proxy.url))
        return opened.use(await openQueue(database))
      }),
    )
    const accounts = Array.from({ length: 8 }, (_, at) => queueAccount(`account-${at}`))
    const passes = await Promise.all(queues.map((queue) => dispatcherOf(queue, accounts).pass()))
    expect(passes.reduce((sum, { sent }) => sum + sent, 0)).toBe(8)
    for (const queue of queues) {
      const jobs = await fetchJobs(queue, { ...one, count: 2 })
      expect(jobs).toHaveLength(2)
      for (const job of jobs) expect(await settle(queue, job, done)).toBe(true)
      await queue.boss.supervise()
    }
    await using watcher = await place.open()
    const locks = await watcher.transaction((trx) =>
      trx.query(`select pid from pg_locks where locktype = 'advisory' and database =
                   (select oid from pg_database where datname = current_database())`),
    )
    expect(locks.rows).toEqual([])
    expect(await readQueue(watcher, all)).toMatchObject({ exists: true, jobs: [] })
  })

  test('a role that may not create schemas uses one that is there', async () => {
    await using stage = await openQueueStage()
    const database = new URL(stage.url).pathname.slice(1)
    await stage.query(`revoke create on database "${database}" from public`)
    await using again = await openQueue(stage.database)
    expect(await again.boss.isInstalled()).toBe(true)
  })

  test('a first worker that ended before pg-boss made its tables left no queue', async () => {
    await using mirror = await freshMirror('postgres')
    await createOwnTables(mirror.database)
    expect(await readQueue(mirror.database, all)).toMatchObject({ exists: false, jobs: [] })
    await using queue = await openQueue(mirror.database)
    expect(await readQueue(queue.database, all)).toMatchObject({ exists: true, jobs: [] })
  })

  test('PGlite has no queue: exit 2, and what to do', async () => {
    await using mirror = await freshMirror('pglite')
    const error = await errorOf(openQueue(mirror.database))
    expect(error).toMatchObject({ exitCode: 2 })
    expect(error.message).toContain('without --queue')
    expect(await readQueue(mirror.database, all)).toMatchObject({ exists: false })
  })
})

describe('the dispatcher', () => {
  test('sends an account once for all times that were missed, and none before its time', async () => {
    await using stage = await openQueueStage()
    const dispatcher = dispatcherOf(stage.queue, [queueAccount('north'), queueAccount('south')])
    expect(await dispatcher.pass()).toMatchObject({ isDispatcher: true, sent: 2, silentMs: 0 })
    expect(await dispatcher.pass()).toMatchObject({ sent: 0 })
    for (const job of await fetchJobs(stage.queue, { ...one, count: 2 })) await settle(stage.queue, job, done)
    await stage.query(overdue)
    expect(await dispatcher.pass()).toMatchObject({ sent: 2 })
    expect(await dispatcher.pass()).toMatchObject({ sent: 0 })
    const [[next] = []] = await stage.query('select next_due_at from headcount_queue.schedules')
    const wait = Date.parse(String(next)) - Date.now()
    expect(wait).toBeGreaterThan(-1000)
    expect(wait).toBeLessThanOrEqual(15 * 60_000)
  })

  test('sends no second job while one waits or runs', async () => {
    await using stage = await openQueueStage()
    const dispatcher = dispatcherOf(stage.queue, [queueAccount('north')])
    await dispatcher.pass()
    await stage.query(overdue)
    expect(await dispatcher.pass()).toMatchObject({ sent: 0 })
    const [job] = await fetchJobs(stage.queue, one)
    await stage.query(overdue)
    expect(await dispatcher.pass()).toMatchObject({ sent: 0 })
    if (job === undefined) throw new Error('there is no job')
    await settle(stage.queue, job, { is: 'retried', code: 'outage' })
    await stage.query(overdue)
    expect(await dispatcher.pass()).toMatchObject({ sent: 0 })
  })

  test('is one over all processes; another takes over when it dies, and at once when it resigns', async () => {
    await using stage = await openQueueStage()
    const accounts = [queueAccount('north')]
    const [first, second] = [dispatcherOf(stage.queue, accounts), dispatcherOf(stage.queue, accounts)]
    expect(await first.pass()).toMatchObject({ isDispatcher: true, sent: 1 })
    await stage.query(overdue)
    expect(await second.pass()).toMatchObject({ isDispatcher: false, sent: 0 })
    await stage.query(`update headcount_queue.dispatcher set passed_at = now() - interval '16 s'`)
    expect(await second.pass()).toMatchObject({ isDispatcher: true })
    expect(await first.pass()).toMatchObject({ isDispatcher: false })
    await second.resign()
    expect(await first.pass()).toMatchObject({ isDispatcher: true })
  })

  test('a process that is killed while it sends has sent nothing: the next one sends all', async () => {
    await using stage = await openQueueStage()
    await stage.database
      .transaction(async (trx) => {
        const within = {
          ...stage.queue,
          database: {
            ...stage.database,
            transaction: async (work: never) => (work as (on: typeof trx) => never)(trx),
          },
        }
        expect(await dispatcherOf(within, [queueAccount('north')]).pass()).toMatchObject({ sent: 1 })
        throw new Error('killed')
      })
      .catch(() => {})
    expect(await dispatcherOf(stage.queue, [queueAccount('north')]).pass()).toMatchObject({ sent: 1 })
  })

  test('on a machine whose clock is wrong sends nothing, says so, and leaves it to others', async () => {
    await using stage = await openQueueStage()
    const wrong = dispatcherOf(stage.queue, [queueAccount('north')])
    const passAhead = async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
      try {
        return await wrong.pass()
      } finally {
        vi.useRealTimers()
      }
    }
    expect(await passAhead()).toMatchObject({ isDispatcher: false, sent: 0, silentMs: null })
    // Meanwhile the clock of the database goes on.
    const told = [expect.stringMatching(/differ by more than 10 s/)]
    expect(wrong.told).toEqual(told)
    // It does not pass for one that sends, nor does one that died before.
    await stage.query(
      `update headcount_queue.dispatcher
          set instance = gen_random_uuid(), holder = 'another', passed_at = now() - interval '61 s'`,
    )
    expect((await readQueue(stage.database, all)).dispatcher).toBeNull()
    const { silentMs } = await passAhead()
    // It looks every five seconds, and says so once a minute.
    expect(wrong.told).toEqual(told)
    const state = { began: monotonicNow(), accounts: new Map() }
    const runner = {
      running: () => [],
      lastFetch: monotonicNow,
      isFull: () => false,
      knows: () => true,
    }
    const dispatch = { seen: monotonicNow(), silentMs: silentMs ?? 0, isHere: false }
    expect(queueHealthOf({ ...state, dispatch }, runner)).toMatchObject({
      healthy: false,
      reason: expect.stringContaining('nobody looked who is due'),
    })
    expect((await readQueue(stage.database, all)).dispatcher).toBeNull()
    expect(await dispatcherOf(stage.queue, [queueAccount('north')]).pass()).toMatchObject({
      isDispatcher: true,
      sent: 1,
    })
  })

  test('sends some schedules a pass where very many are due, and tells that there are more', async () => {
    await using stage = await openQueueStage()
    const accounts = Array.from({ length: 250 }, (_, at) =>
      queueAccount(`account-${at}`, { schedule: `${at % 60} ${Math.floor(at / 60)} * * * *` }),
    )
    const dispatcher = dispatcherOf(stage.queue, accounts)
    expect(await dispatcher.pass()).toMatchObject({ sent: 200, hasMore: true })
    expect(await dispatcher.pass()).toMatchObject({ sent: 50, hasMore: false })
    expect(await dispatcher.pass()).toMatchObject({ sent: 0, hasMore: false })
  })

  test('whose accounts are others than those of another process is told of by that one', async () => {
    await using stage = await openQueueStage()
    await dispatcherOf(stage.queue, [queueAccount('north'), queueAccount('south')]).pass()
    const same = dispatcherOf(stage.queue, [queueAccount('south'), queueAccount('north')])
    expect(await same.pass()).toMatchObject({ isDispatcher: false, sendsOthers: null })
    const others = dispatcherOf(stage.queue, [queueAccount('north')])
    expect(await others.pass()).toMatchObject({
      sendsOthers: expect.stringContaining(`process ${process.pid}`),
    })
  })

  test('believes no time of a clock that was ahead and was set right: not of the one that sends, of schedules, nor of jobs', async () => {
    await using stage = await openQueueStage()
    const accounts = [queueAccount('north'), queueAccount('south', { schedule: '0 3 1 1 *' })]
    await dispatcherOf(stage.queue, accounts).pass()
    await stage.query('delete from headcount_queue.job')
    await stage.send(queueAccount('waiting'))
    const ahead = `interval '400 days'`
    for (const statement of [
      `update headcount_queue.dispatcher set passed_at = passed_at + ${ahead}`,
      `update headcount_queue.schedules set next_due_at = next_due_at + ${ahead} where schedule like '*%'`,
      `update headcount_queue.job set start_after = start_after + ${ahead}`,
    ])
      await stage.query(statement)
    const next = dispatcherOf(stage.queue, accounts)
    // Once a year is no fault of a clock.
    expect(await next.pass()).toMatchObject({ isDispatcher: true, sent: 1 })
    expect(await next.pass()).toMatchObject({ isDispatcher: true, sent: 0 })
    const [due] = await stage.query(
      `select bool_and(next_due_at < now() + interval '15 minutes') from headcount_queue.schedules where schedule like '*%'`,
    )
    expect(due).toEqual([true])
    const jobs = await fetchJobs(stage.queue, { ...one, count: 9, runsPerHost: 9 })
    expect(jobs.map(({ data }) => data.account).toSorted()).toEqual(['north', 'waiting'])
  })

  test('sends an account at once that came new and was never read, and no other before its time', async () => {
    await using stage = await openQueueStage()
    await stage.query(`insert into headcount.accounts (name) values ('north'), ('south')`)
    const north = queueAccount('north')
    expect(await dispatcherOf(stage.queue, [north]).pass()).toMatchObject({ sent: 1 })
    await stage.query('update headcount_queue.dispatcher set instance = null')
    const more = dispatcherOf(stage.queue, [north, queueAccount('south'), queueAccount('west')])
    expect(await more.pass()).toMatchObject({ sent: 1 })
    expect(await more.pass()).toMatchObject({ sent: 0 })
    const jobs = await fetchJobs(stage.queue, { ...one, count: 5 })
    expect(jobs.map(({ data }) => data.account).toSorted()).toEqual(['north', 'west'])
  })

  test('a schedule that cannot be used is told, and the others are sent', async () => {
    await using stage = await openQueueStage()
    const dispatcher = dispatcherOf(stage.queue, [
      queueAccount('north', { schedule: 'every now and then' }),
      queueAccount('south'),
    ])
    expect(await dispatcher.pass()).toMatchObject({ sent: 1 })
    expect(dispatcher.told).toEqual([expect.stringContaining('every now and then')])
  })
})

describe('jobs', () => {
  test('of one service host run at most so many over all machines, also when all ask at once', async () => {
    await using stage = await openQueueStage()
    await using other = await openQueue(stage.database)
    const accounts = Array.from({ length: 12 }, (_, at) =>
      queueAccount(`account-${at}`, { host: at < 8 ? 'large.example' : 'small.example' }),
    )
    for (let round = 0; round < 10; round += 1) {
      await stage.send(...accounts)
      const took = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          fetchJobs(at % 2 === 0 ? stage.queue : other, { ...one, count: 2, runsPerHost: 3 }),
        ),
      )
      const hosts = took.flat().map(({ data }) => data.host)
      expect(hosts.filter((host) => host === 'large.example').length).toBeLessThanOrEqual(3)
      expect(hosts.filter((host) => host === 'small.example').length).toBeLessThanOrEqual(3)
      await stage.query('delete from headcount_queue.job')
    }
  })

  test('are not looked for while no host has room, and are as soon as one has', async () => {
    await using stage = await openQueueStage()
    const accounts = Array.from({ length: 4 }, (_, at) => queueAccount(`account-${at}`))
    await stage.send(...accounts, queueAccount('elsewhere', { host: 'other.example' }))
    const only = { count: 9, runsPerHost: 2, hosts: new Set(['events.example']) }
    const both = { ...only, hosts: new Set(['events.example', 'other.example']) }
    const first = await fetchJobs(stage.queue, { ...only, count: 2 })
    expect(first).toHaveLength(2)
    // Who knows of no other host does not look, so the job of the other one stays.
    expect(await fetchJobs(stage.queue, only)).toEqual([])
    expect(await fetchJobs(stage.queue, both)).toMatchObject([{ data: { account: 'elsewhere' } }])
    for (const job of first) await settle(stage.queue, job, done)
    expect(await fetchJobs(stage.queue, only)).toHaveLength(2)
  })

  test('of one host are given some places of a process only, where the others may have jobs', async () => {
    await using stage = await openQueueStage()
    const slow = Array.from({ length: 6 }, (_, at) => queueAccount(`slow-${at}`, { host: 'slow.example' }))
    await stage.send(...slow)
    await stage.send(...[1, 2].map((at) => queueAccount(`quick-${at}`, { host: 'quick.example' })))
    const hosts = new Set(['slow.example', 'quick.example'])
    const fetch = async (count: number, taken: readonly string[]) => {
      const jobs = await fetchJobs(stage.queue, { ...one, hosts, count, places: { limit: 3, taken } })
      return jobs.map(({ data }) => data.host).toSorted()
    }
    const [quick, ...three] = ['quick.example', 'slow.example', 'slow.example', 'slow.example']
    expect(await fetch(4, [])).toEqual([quick, ...three])
    expect(await fetch(1, three)).toEqual([quick])
    expect(await fetch(1, three)).toEqual([])
    // Another process has places of its own.
    expect(await fetch(4, [])).toEqual(three)
  })

  test('hold the name of the account and its host, and nothing else', async () => {
    await using stage = await openQueueStage()
    await dispatcherOf(stage.queue, [queueAccount('north')]).pass()
    const rows = await stage.query('select data, output, singleton_key, group_id from headcount_queue.job')
    expect(rows).toEqual([[{ account: 'north', host: 'events.example' }, null, 'north', 'events.example']])
    const [job] = await fetchJobs(stage.queue, one)
    if (job === undefined) throw new Error('there is no job')
    // The message names a person, as one of another account does.
    await settle(stage.queue, job, outcomeOfError(new AccountMismatchError('of ada@example.org'), false))
    const whole = await stage.query('select job::text from headcount_queue.job')
    expect(whole).toHaveLength(1)
    expect(String(whole)).toContain('account_mismatch')
    expect(String(whole)).not.toContain('ada@example.org')
  })

  test('that fail are tried again, each time later, and are dead letters in the end; a good run ends that', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'))
    const delays: number[] = []
    for (let tries = 0; tries <= MAX_RETRIES; tries += 1) {
      await stage.query(now)
      const [job] = await fetchJobs(stage.queue, one)
      if (job === undefined) throw new Error(`there is no job at try ${tries}`)
      expect(await settle(stage.queue, job, { is: 'retried', code: 'outage' })).toBe(true)
      const [[delay] = []] = await stage.query(
        `select extract(epoch from start_after - started_on)::float8 from headcount_queue.job where state = 'retry'`,
      )
      if (delay !== undefined) delays.push(Number(delay))
    }
    expect(delays).toHaveLength(MAX_RETRIES)
    expect(delays[0]).toBeGreaterThan(14)
    expect(delays.at(-1)).toBeGreaterThan(2 * (delays[0] ?? Infinity))
    const state = await readQueue(stage.database, all)
    expect(state.jobs).toEqual([
      expect.objectContaining({
        account: 'north',
        state: 'dead',
        code: 'outage',
        tries: MAX_RETRIES + 1,
        reason: 'the service went away during the run',
      }),
    ])
    await stage.send(queueAccount('north'))
    const [job] = await fetchJobs(stage.queue, one)
    if (job === undefined) throw new Error('there is no job')
    await settle(stage.queue, job, done)
    expect((await readQueue(stage.database, all)).jobs).toEqual([])
    expect(await stage.query('select * from headcount_queue.job')).toEqual([])
  })

  test('that no try mends are dead letters at once, one an account, and can be tried again by hand', async () => {
    await using stage = await openQueueStage()
    const refused = outcomeOfError(new AuthenticationError('401'), false)
    for (let times = 0; times < 2; times += 1) {
      await stage.send(queueAccount('north'))
      const [job] = await fetchJobs(stage.queue, one)
      if (job === undefined) throw new Error('there is no job')
      await settle(stage.queue, job, refused)
    }
    expect(await readQueue(stage.database, all)).toMatchObject({
      counts: { dead: 1, ready: 0, retrying: 0 },
      jobs: [{ account: 'north', state: 'dead', code: 'key_refused', tries: 1 }],
    })
    const error = await errorOf(retryDeadLetters(stage.queue, ['nroth']))
    expect(error.message).toContain('did you mean north?')
    expect(await retryDeadLetters(stage.queue, null)).toEqual(['north'])
    expect(await readQueue(stage.database, all)).toMatchObject({
      counts: { dead: 0, ready: 1 },
      jobs: [{ account: 'north', host: 'events.example' }],
    })
    expect(await retryDeadLetters(stage.queue, null)).toEqual([])
  })

  test('of accounts that nobody reads any more are removed by hand, and those of others stay', async () => {
    await using stage = await openQueueStage()
    const refused = outcomeOfError(new AuthenticationError('401'), false)
    for (const name of ['north', 'south']) {
      await stage.send(queueAccount(name))
      const [job] = await fetchJobs(stage.queue, one)
      if (job === undefined) throw new Error('there is no job')
      await settle(stage.queue, job, refused)
    }
    const error = await errorOf(purgeDeadLetters(stage.queue, ['north', 'suoth']))
    expect(error.message).toContain('did you mean south?')
    expect((await readQueue(stage.database, all)).counts.dead).toBe(2)
    expect(await purgeDeadLetters(stage.queue, ['north'])).toEqual(['north'])
    expect(await readQueue(stage.database, all)).toMatchObject({
      counts: { dead: 1, ready: 0, retrying: 0 },
      jobs: [{ account: 'south', state: 'dead' }],
    })
    expect(await purgeDeadLetters(stage.queue, null)).toEqual(['south'])
    expect(await purgeDeadLetters(stage.queue, null)).toEqual([])
    // What waits for a worker with its account is removed, too; what is ready, or runs, is not.
    await stage.send(queueAccount('gone'))
    const [job] = await fetchJobs(stage.queue, one)
    if (job === undefined) throw new Error('there is no job')
    await settle(stage.queue, job, outcomeOfUnknown(undefined, new Date()))
    await stage.send(queueAccount('north'), queueAccount('south'))
    await fetchJobs(stage.queue, one)
    expect((await errorOf(purgeDeadLetters(stage.queue, ['north']))).message).toContain('waits for a worker')
    expect(await purgeDeadLetters(stage.queue, null)).toEqual(['gone'])
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { state: 'running' },
      { state: 'ready' },
    ])
  })

  test('that are dead of accounts that nobody has stay where they are when all are tried again', async () => {
    await using stage = await openQueueStage()
    for (const name of ['north', 'gone']) {
      await stage.send(queueAccount(name))
      const [job] = await fetchJobs(stage.queue, one)
      if (job === undefined) throw new Error('there is no job')
      await settle(stage.queue, job, outcomeOfError(new AuthenticationError('401'), false))
    }
    expect(await retryDeadLetters(stage.queue, null, (account) => account === 'north')).toEqual(['north'])
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { account: 'gone', state: 'dead' },
      { account: 'north', state: 'ready' },
    ])
  })

  test('of an account that another run holds come back later and count no try', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'))
    const [job] = await fetchJobs(stage.queue, one)
    if (job === undefined) throw new Error('there is no job')
    await settle(stage.queue, job, outcomeOfError(new AccountLockedError('busy'), false))
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([{ state: 'waiting', tries: 0 }])
    expect(await fetchJobs(stage.queue, one)).toEqual([])
    await stage.query(now)
    expect(await fetchJobs(stage.queue, one)).toMatchObject([{ retryCount: 0 }])
  })

  test('of a worker that is not heard are tried again, and it settles nothing when it wakes', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'))
    const [lost] = await fetchJobs(stage.queue, one)
    if (lost === undefined) throw new Error('there is no job')
    await stage.query(
      `update headcount_queue.job set heartbeat_on = now() - interval '31 s', started_on = now() - interval '31 s'`,
    )
    await stage.query('update headcount_queue.queue set monitor_claim_on = null')
    await stage.queue.boss.supervise()
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { state: 'retrying', code: 'worker_lost' },
    ])
    await stage.query(now)
    const [again] = await fetchJobs(stage.queue, one)
    if (again === undefined) throw new Error('there is no job')
    for (const outcome of [done, outcomeOfError(new AuthenticationError('401'), false)])
      expect(await settle(stage.queue, lost, outcome)).toBe(false)
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([{ state: 'running', tries: 2 }])
    expect(await settle(stage.queue, again, done)).toBe(true)
  })
})

/** Runs jobs until the end of the test. */
function startTestRunner(
  { queue }: QueueStage,
  options: Partial<JobRunnerOptions>,
): JobRunner & AsyncDisposable {
  const stopping = new AbortController()
  const runner = startJobRunner({
    queue,
    runs: 2,
    runsPerHost: 9,
    signal: stopping.signal,
    log: () => {},
    knows: () => true,
    hosts: () => everyHost,
    run: async () => {},
    ...options,
  })
  return {
    ...runner,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await runner.ended
    },
  }
}

async function stopped(signal: AbortSignal): Promise<never> {
  await aborted(signal)
  throw new InterruptedError('stopped')
}

describe('a worker of the queue', () => {
  test('has its heartbeat stored while a run goes on, and hands the job back when it is told to stop', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'), queueAccount('elsewhere'))
    const stopping = new AbortController()
    const began = Promise.withResolvers<void>()
    const settled: string[] = []
    const runner = startJobRunner({
      queue: stage.queue,
      runs: 2,
      runsPerHost: 2,
      signal: stopping.signal,
      log: () => {},
      knows: (account) => account === 'north',
      hosts: () => everyHost,
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
      run: async (_, signal) => {
        began.resolve()
        await stopped(signal)
      },
    })
    await began.promise
    expect(runner.running()).toContain('north')
    await stage.query(`update headcount_queue.job set heartbeat_on = now() - interval '1 hour'`)
    await expect
      .poll(
        () =>
          stage.query(
            `select heartbeat_on > now() - interval '1 minute' from headcount_queue.job where singleton_key = 'north'`,
          ),
        { timeout: 20_000 },
      )
      .toEqual([[true]])
    stopping.abort()
    await runner.ended
    expect(settled.toSorted()).toEqual(['elsewhere returned', 'north returned'])
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { account: 'elsewhere', tries: 0 },
      { account: 'north', tries: 0 },
    ])
  })

  test('that has not the account hands its job back, and goes on with others; one that has the account takes it at once', async () => {
    await using stage = await openQueueStage()
    const settled: string[] = []
    const told: string[] = []
    await using _few = startTestRunner(stage, {
      knows: (account) => account !== 'elsewhere',
      log: (level, message) => void (level === 'warn' && told.push(message)),
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
    })
    await stage.send(queueAccount('elsewhere'))
    await expect.poll(() => settled, { timeout: 20_000 }).toEqual(['elsewhere returned'])
    expect(told).toEqual([expect.stringContaining('account elsewhere is not among the accounts here')])
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { account: 'elsewhere', state: 'waiting', tries: 0, code: 'not_configured' },
    ])
    await stage.send(queueAccount('north'))
    await expect.poll(() => settled.at(-1), { timeout: 20_000 }).toBe('north done')
    // It looks for jobs that were handed back, and leaves this one.
    await new Promise((resolve) => setTimeout(resolve, 7000))
    expect(settled).toEqual(['elsewhere returned', 'north done'])
    await using _all = startTestRunner(stage, {
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
    })
    await expect.poll(() => settled.at(-1), { timeout: 20_000 }).toBe('elsewhere done')
    expect(told).toHaveLength(1)
  })

  test('takes a job that was handed back before those that wait for their turn, and leaves those of others', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'), queueAccount('south'))
    const since = outcomeOfUnknown(undefined, new Date())
    for (const job of await fetchJobs(stage.queue, { ...one, count: 2 }))
      await settle(stage.queue, job, since)
    await stage.send(queueAccount('earlier'))
    expect(await fetchJobs(stage.queue, { ...one, knows: () => false, count: 0 })).toEqual([])
    const [first] = await fetchJobs(stage.queue, { ...one, knows: (account) => account === 'south' })
    expect(first?.data).toMatchObject({ account: 'south' })
    expect((await readQueue(stage.database, all)).jobs).toMatchObject([
      { account: 'south', state: 'running', code: null },
      { account: 'north', state: 'waiting', code: 'not_configured' },
      { account: 'earlier', state: 'ready', code: null },
    ])
  })

  test('leaves a place to other hosts while runs of one do not end', async () => {
    await using stage = await openQueueStage()
    const slow = Array.from({ length: 3 }, (_, at) => queueAccount(`slow-${at}`, { host: 'slow.example' }))
    await stage.send(...slow)
    await stage.send(queueAccount('quick', { host: 'quick.example' }))
    const settled: string[] = []
    await using _runner = startTestRunner(stage, {
      hosts: () => new Set(['slow.example', 'quick.example']),
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
      run: (account, signal) => (account === 'quick' ? Promise.resolve() : stopped(signal)),
    })
    await expect.poll(() => settled, { timeout: 20_000 }).toEqual(['quick done'])
  })

  test('gives the places of runs that wait for a pause to others, here and at the host, until they go on', async () => {
    await using stage = await openQueueStage()
    const [asked, other] = [queueAccount('asked'), queueAccount('other')]
    await stage.send(asked)
    const goOn = Promise.withResolvers<void>()
    const places = `select singleton_key, group_id from headcount_queue.job where state = 'active' order by 1`
    const settled: string[] = []
    await using runner = startTestRunner(stage, {
      runs: 1,
      runsPerHost: 1,
      hosts: () => new Set([asked.host]),
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
      run: async (account, signal, onSuspend) => {
        if (account === 'other') return
        onSuspend(true)
        await Promise.race([goOn.promise, stopped(signal)])
        onSuspend(false)
        await stopped(signal)
      },
    })
    await expect.poll(() => stage.query(places), { timeout: 20_000 }).toEqual([['asked', null]])
    expect([runner.running(), runner.isFull()]).toEqual([['asked'], false])
    await stage.send(other)
    await expect.poll(() => settled, { timeout: 20_000 }).toEqual(['other done'])
    goOn.resolve()
    await expect.poll(() => stage.query(places), { timeout: 20_000 }).toEqual([['asked', asked.host]])
    expect(runner.isFull()).toBe(true)
  })

  test('has a job whose run ended while it waited for a pause tried again as one of its host', async () => {
    await using stage = await openQueueStage()
    const asked = queueAccount('asked')
    await stage.send(asked)
    const settled: string[] = []
    await using _runner = startTestRunner(stage, {
      onSettled: (account, { is }) => settled.push(`${account} ${is}`),
      run: (_account, _signal, onSuspend) => {
        onSuspend(true)
        return Promise.reject(new OutageError('The service went away.'))
      },
    })
    await expect.poll(() => settled, { timeout: 20_000 }).toEqual(['asked retried'])
    await expect
      .poll(() => stage.query('select state, group_id from headcount_queue.job'), { timeout: 14_000 })
      .toEqual([['retry', asked.host]])
  })

  test('has the heartbeat of a second try stored when the first one, not heard, ends here', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'))
    const tries = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let begun = 0
    await using runner = startTestRunner(stage, {
      run: async (_, signal) => {
        begun += 1
        await Promise.race([tries[begun - 1]?.promise, stopped(signal)])
      },
    })
    await expect.poll(() => begun, { timeout: 20_000 }).toBe(1)
    await stage.query(
      `update headcount_queue.job set heartbeat_on = now() - interval '31 s', started_on = now() - interval '31 s'`,
    )
    await stage.query('update headcount_queue.queue set monitor_claim_on = null')
    await stage.queue.boss.supervise()
    await stage.query(now)
    await expect.poll(() => begun, { timeout: 20_000 }).toBe(2)
    tries[0]?.resolve()
    await expect.poll(() => runner.running(), { timeout: 20_000 }).toEqual(['north'])
    await stage.query(`update headcount_queue.job set heartbeat_on = now() - interval '1 hour'`)
    await expect
      .poll(() => stage.query(`select heartbeat_on > now() - interval '1 minute' from headcount_queue.job`), {
        timeout: 20_000,
      })
      .toEqual([[true]])
    tries[1]?.resolve()
    await expect.poll(() => runner.running(), { timeout: 20_000 }).toEqual([])
  })

  test('says that a job is a dead letter when it is one: whoever reads that may have it tried again', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'))
    const retried = Promise.withResolvers<readonly string[]>()
    let tries = 0
    await using _runner = startTestRunner(stage, {
      log: (_, message) => {
        if (message.includes('dead letter')) retried.resolve(retryDeadLetters(stage.queue, null))
      },
      run: async () => {
        if ((tries += 1) === 1) throw new AuthenticationError('401')
      },
    })
    expect(await retried.promise).toEqual(['north'])
  })

  test('logs what ended a run, which the queue does not hold', async () => {
    await using stage = await openQueueStage()
    await stage.send(queueAccount('north'), queueAccount('south'), queueAccount('west'))
    const fault = new TypeError('of this program')
    const errors: Readonly<Record<string, Error>> = {
      north: new AuthenticationError('the key was answered with 401'),
      south: fault,
      west: new AccountLockedError('busy'),
    }
    const told: unknown[] = []
    let settled = 0
    await using _runner = startTestRunner(stage, {
      runs: 3,
      log: (level, message, fields) => void (level === 'error' && told.push([message, fields])),
      onSettled: () => (settled += 1),
      run: (account) => Promise.reject(errors[account] ?? new Error(account)),
    })
    await expect.poll(() => settled, { timeout: 20_000 }).toBe(3)
    expect(told).toHaveLength(2)
    expect(told).toContainEqual([
      'account north: the key was answered with 401',
      { account: 'north', code: 'key_refused' },
    ])
    expect(told).toContainEqual([expect.stringContaining('south'), { account: 'south', err: fault }])
  })
})
