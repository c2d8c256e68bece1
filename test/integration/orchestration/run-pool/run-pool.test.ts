import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  AuthenticationError,
  createRunPool,
  HeadcountError,
  InterruptedError,
  RetryLaterError,
  UnreachableError,
  type Logger,
  type RunReport,
} from '../../../../src/index.ts'
import { engines } from '../../../support/databases/databases.ts'
import { openPool } from '../../../support/databases/pools.ts'
import { send } from '../../../support/http/fault-server.ts'
import {
  accountIn,
  smallAccounts,
  startPoolStage,
  type PooledService,
  type PoolStage,
} from '../../../support/runs/pool-stage.ts'

describe.each(engines)('a run pool (%s)', (engine) => {
  async function stageOf(): Promise<PoolStage> {
    const stage = await startPoolStage(engine)
    onTestFinished(() => stage[Symbol.asyncDispose]())
    return stage
  }

  test('many accounts on few connections: one run at a time, each with its own key, all are mirrored', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(6))
    const { logger, said } = listening()
    await using runs = createRunPool({ ...stage.database, connections: 5, logger })
    expect(runs.runs).toBe(1)
    expect(said.join('\n')).toContain('5 database connections carry one run at once: each needs 3.')
    const names = [...service.accounts.keys()]
    const reports = await Promise.all(names.map((name) => runs.sync(service.of(name))))
    expect(reports.map(({ account, status }) => [account, status])).toEqual(
      names.map((name) => [name, 'succeeded']),
    )
    await stage.expectMirrored(service)
    // The requests of one run are not mixed with those of another.
    expect(blocks(service.asked())).toEqual(names)
    const verified = await runs.verify(service.of('small3'))
    expect(verified.status).toBe('equal')
    const again = await runs.backfill({ ...service.of('small3'), createAccount: false })
    expect(again.mode).toBe('backfill')
  })

  test('two calls for one account run one after the other', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(1))
    await using runs = createRunPool(stage.database)
    const both = await Promise.all([runs.sync(service.of('small0')), runs.sync(service.of('small0'))])
    expect(both.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    expect(both[0]?.run_id).not.toBe(both[1]?.run_id)
  })

  test('an abort ends what runs and what waits, and leaves no lease behind', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(12))
    const stopping = new AbortController()
    await using runs = createRunPool({ ...stage.database, runs: 4, signal: stopping.signal })
    const names = [...service.accounts.keys()]
    await runs.sync(service.of('small11'))
    // Lists that never come: four runs are in the middle of their work.
    for (const name of names)
      for (const list of ['a', 'b']) service.server.at(`/events/${name}-${list}/responses`, () => {})
    const ends = names
      .slice(0, 11)
      .map((name) => outcome(runs.sync({ ...service.of(name), requestTimeoutMs: 600_000 })))
    await vi.waitFor(
      async () => {
        const running = await stage.query(`select from headcount.sync_runs where status = 'running'`)
        expect(running.length).toBe(4)
      },
      { timeout: 60_000 },
    )
    stopping.abort(new InterruptedError('stopped by the test', 130))
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ exitCode: 130 })
    expect(await stage.query(`select from headcount.sync_runs where status = 'running'`)).toEqual([])
    await expect(runs.sync(service.of('small1'))).rejects.toThrow('stopped by the test')
    expect(new Set(service.asked()).size).toBeLessThanOrEqual(5)
  })
})

describe('a run pool', () => {
  async function stageOf(): Promise<PoolStage> {
    const stage = await startPoolStage('postgres')
    onTestFinished(() => stage[Symbol.asyncDispose]())
    return stage
  }

  test('a large account does not keep small ones at its host waiting for its end', async () => {
    const stage = await stageOf()
    const large = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`large-${n}`, 1]))
    const service = await stage.service({ large, ...smallAccounts(6) })
    await using runs = createRunPool({ ...stage.database, runs: 2, requestsPerHost: 2 })
    const areSmallRead = Promise.withResolvers<void>()
    // One list of the large account comes only when all small ones are mirrored.
    service.server.at('/events/large-30/responses', async (socket, request) => {
      await areSmallRead.promise
      await send(service.accounts.get('large')?.answer(request) ?? {})(socket, request)
    })
    const ofLarge = runs.sync({ ...service.of('large'), requestTimeoutMs: 60_000 })
    await vi.waitFor(() => expect(service.asked().length).toBeGreaterThan(3), {
      interval: 2,
      timeout: 20_000,
    })
    await Promise.all(Object.keys(smallAccounts(6)).map((name) => runs.sync(service.of(name))))
    areSmallRead.resolve()
    expect((await ofLarge).status).toBe('succeeded')
    await stage.expectMirrored(service)
  })

  test('a key that is refused, or an account that is another one, ends its own run only', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(5))
    await using runs = createRunPool(stage.database)
    const failed = runs.sync({ ...service.of('small2'), apiKey: 'wrong' })
    const others = ['small0', 'small1', 'small3', 'small4']
    const [refused, ...reports] = await Promise.all([
      failed.catch((error: unknown) => error),
      ...others.map((name) => runs.sync(service.of(name))),
    ])
    expect(refused).toBeInstanceOf(AuthenticationError)
    expect(reports.map(({ status }) => status)).toEqual(others.map(() => 'succeeded'))
    const mismatch = runs.sync({ ...service.of('small0'), apiKey: 'key-of-small1' })
    await expect(mismatch).rejects.toMatchObject({ code: 'account_mismatch', exitCode: 2 })
    await stage.expectMirrored(service, others)
  })

  test('the signal of one call ends this call only, also while it waits', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(3))
    await using runs = createRunPool({ ...stage.database, runs: 1 })
    const stopping = new AbortController()
    const first = runs.sync(service.of('small0'))
    const waiting = outcome(runs.sync({ ...service.of('small1'), signal: stopping.signal }))
    const last = runs.sync(service.of('small2'))
    stopping.abort()
    expect(await waiting).toMatchObject({ code: 'interrupted' })
    expect([(await first).status, (await last).status]).toEqual(['succeeded', 'succeeded'])
    expect(service.asked()).not.toContain('small1')
  })

  test.each([3, 12])(
    '12 accounts on a pool of %i connections: no more are used, and all are mirrored',
    async (max) => {
      const stage = await stageOf()
      const service = await stage.service(smallAccounts(12))
      if (typeof stage.target !== 'string') throw new Error('a Postgres has an address')
      const pool = openPool(stage.target, { max })
      onTestFinished(() => pool.end())
      const runs = createRunPool({ pool })
      expect(runs.runs).toBe(Math.floor(max / 3))
      await Promise.all([...service.accounts.keys()].map((name) => runs.sync(service.of(name))))
      await runs[Symbol.asyncDispose]()
      expect(pool.totalCount).toBeLessThanOrEqual(max)
      await stage.expectMirrored(service)
      // The pool is the caller's: it is open, and nothing of it is lent.
      expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
      await pool.query('select 1')
    },
  )

  test('a pause that one account is asked for delays no other', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(6))
    await using runs = createRunPool({ ...stage.database, runs: 3 })
    const { server } = service
    server.at('/events/small1-a/responses', send({ status: 429, headers: { 'Retry-After': '8' } }))
    const names = [...service.accounts.keys()]
    const reports = await Promise.all(names.map((name) => runs.sync(service.of(name))))
    expect(reports.map(({ status }) => status)).toEqual(names.map(() => 'succeeded'))
    const { requests } = server
    const [refused, again] = requests.filter(({ path }) => path.endsWith('small1-a/responses'))
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(7900)
    // All others were read meanwhile.
    const late = requests.filter(({ at }) => at >= (refused?.at ?? 0) + 7900)
    expect(new Set(late.map(accountIn))).toEqual(new Set(['small1']))
    await stage.expectMirrored(service)
  })

  test('accounts that are asked for pauses of their own leave turn and permits to the others, also to those of another host', async () => {
    const stage = await stageOf()
    const manyLists = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`long-${n}`, 1]))
    const service = await stage.service({ ...smallAccounts(6), long: manyLists })
    const other = await stage.service(smallAccounts(2, 'other'))
    await using runs = createRunPool({ ...stage.database, runs: 1, requestsPerHost: 3 })
    // Each has its answer to `/ping`: the service is there, and the pause is the account's own.
    for (const list of ['small0-a', 'long-0'])
      service.server.at(`/events/${list}/responses`, send({ status: 429, headers: { 'Retry-After': '10' } }))
    const ended: string[] = []
    const sync = async (name: string, of: PooledService) => {
      const report = await runs.sync(of.of(name))
      ended.push(name)
      return report.status
    }
    const names = [...service.accounts.keys()]
    const all = [...names.map((name) => sync(name, service)), sync('other0', other), sync('other1', other)]
    expect(await Promise.all(all)).toEqual(all.map(() => 'succeeded'))
    expect(new Set(ended.slice(-2))).toEqual(new Set(['small0', 'long']))
    // Nothing of those who waited was requested meanwhile, and nobody else was refused.
    const { requests } = service.server
    const [refused, again] = requests.filter(({ path }) => path.endsWith('/small0-a/responses'))
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(9900)
    await stage.expectMirrored(service)
    await stage.expectMirrored(other)
  })

  test('a run that is stopped while it waits for a pause closes its lease', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(2))
    await using runs = createRunPool({ ...stage.database, runs: 1 })
    service.server.at('/events/small0-a/responses', send({ status: 429, headers: { 'Retry-After': '600' } }))
    const stopping = new AbortController()
    const paused = outcome(runs.sync({ ...service.of('small0'), signal: stopping.signal }))
    // The other one has the turn of the first, which waits.
    await runs.sync(service.of('small1'))
    stopping.abort()
    expect(await paused).toMatchObject({ code: 'interrupted' })
    expect(await stage.query(`select from headcount.sync_runs where status = 'running'`)).toEqual([])
  })

  test.each(['sync', 'verify'] as const)(
    'a %s whose deadline comes while it waits for its turn after a pause ends then, and its turn is given on',
    async (call) => {
      const stage = await stageOf()
      const service = await stage.service(smallAccounts(3))
      await using runs = createRunPool({ ...stage.database, runs: 1 })
      await runs.sync(service.of('small0'))
      const isEnded = Promise.withResolvers<void>()
      const { server } = service
      const other = Promise.withResolvers<RunReport>()
      server.at('/ping', async (socket, request) => {
        // It waits for the turn before that is given on.
        runs.sync(service.of('small1')).then(other.resolve, other.reject)
        await send({ status: 429, headers: { 'Retry-After': '1' } })(socket, request)
      })
      // The one that has the turn meanwhile keeps it.
      server.at('/events/small1-a/responses', async (socket, request) => {
        await isEnded.promise
        await send(service.accounts.get('small1')?.answer(request) ?? {})(socket, request)
      })
      const late = { ...service.of('small0'), createAccount: false, runTimeoutMs: 1500 }
      const ended = outcome(runs[call](late)).finally(isEnded.resolve)
      expect(await ended).toMatchObject({ code: 'run_deadline' })
      expect((await other.promise).status).toBe('succeeded')
      expect((await runs.sync(service.of('small2'))).status).toBe('succeeded')
    },
  )

  test('one that two accounts are asked for holds for all at their host, and is told once', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(5))
    const { logger, said } = listening()
    // One run at once: a third account that began beside the second could have asked before the second refusal.
    await using runs = createRunPool({ ...stage.database, runs: 1, logger })
    const { server } = service
    const wait = () => send({ status: 429, headers: { 'Retry-After': '4' } })
    server.at('/ping', wait(), wait())
    const names = [...service.accounts.keys()]
    const reports = await Promise.all(names.map((name) => runs.sync(service.of(name))))
    expect(reports.map(({ status }) => status)).toEqual(names.map(() => 'succeeded'))
    const refusedAt = server.requests[1]?.at ?? 0
    const meanwhile = server.requests.slice(2).filter(({ at }) => at < refusedAt + 3900)
    expect(meanwhile).toEqual([])
    expect(said.filter((line) => line.includes('slows the run down'))).toHaveLength(1)
    expect(said.find((line) => line.includes('slows the run down'))).toContain(server.origin)
    await stage.expectMirrored(service)
  })

  test('the pace that one run learned is that of the next', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(2))
    const { server } = service
    const paces: (number | null | undefined)[] = []
    const debug = (fields: object, message: string) => {
      if (message.includes('rate limit changes')) paces.push(Number(Object(fields).requests_at_once))
    }
    const { logger } = listening()
    server.at('/events/small1-a/responses', send({ status: 429 }))
    await using runs = createRunPool({ ...stage.database, logger: { ...logger, debug } })
    await runs.sync(service.of('small1'))
    server.at('/events/small0-a/responses', send({ status: 429 }))
    await runs.sync(service.of('small0'))
    // The second refusal halves what the first one had left, though another account met it.
    expect(paces).toContain(2)
  })

  test('a pause that is too long for a run ends it; the next one asks nothing meanwhile', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(3))
    const other = await stage.service(smallAccounts(2, 'other'))
    await using runs = createRunPool(stage.database)
    const wait = () => send({ status: 429, headers: { 'Retry-After': '3600' } })
    const end = async (name: string) => {
      const ended = await outcome(runs.sync(service.of(name)))
      expect(ended, name).toBeInstanceOf(RetryLaterError)
      expect(ended, name).toMatchObject({ code: 'paused_by_service', exitCode: 4 })
    }
    service.server.at('/ping', wait())
    await end('small0')
    // It binds the account that was asked, also in its next run, and no other.
    await end('small0')
    await runs.sync(service.of('small1'))
    await stage.expectMirrored(service, ['small1'])
    expect(service.asked().filter((name) => name === 'small0')).toHaveLength(1)
    // Two in a row: it is the host.
    service.server.at('/ping', wait(), wait())
    await end('small1')
    await end('small2')
    const before = service.server.requests.length
    await end('small1')
    await end('small2')
    expect(service.server.requests).toHaveLength(before)
    await runs.sync(other.of('other0'))
    await stage.expectMirrored(other, ['other0'])
  })

  test('the first account of a host, which never answers, delays none of the others', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(5))
    const { server } = service
    server.always((socket, request) => {
      const answer = service.accounts.get(accountIn(request))?.answer(request) ?? {}
      if (accountIn(request) !== 'small0') return send(answer)(socket, request)
    })
    await using runs = createRunPool({ ...stage.database, runs: 2 })
    // It is given up when the others have ended, long before its deadline.
    const givenUp = new AbortController()
    const limits = { requestTimeoutMs: 600_000, runTimeoutMs: 100_000 }
    const hanging = outcome(runs.sync({ ...service.of('small0'), ...limits, signal: givenUp.signal }))
    const others = [...service.accounts.keys()].slice(1)
    await Promise.all(others.map((name) => runs.sync(service.of(name))))
    await stage.expectMirrored(service, others)
    givenUp.abort()
    expect(await hanging).toMatchObject({ code: 'interrupted' })
  })

  test('a host that is down has few turns, delays no other host, and each of its accounts says so', async () => {
    const stage = await stageOf()
    const up = await stage.service(smallAccounts(4, 'up'))
    const down = await stage.service(smallAccounts(6, 'down'))
    const open = new Set<string>()
    let most = 0
    down.server.always((socket, request) => {
      open.add(accountIn(request))
      most = Math.max(most, open.size)
      setTimeout(() => {
        open.delete(accountIn(request))
        socket.destroy()
      }, 20)
    })
    await using runs = createRunPool({ ...stage.database, runs: 3 })
    const failing = Promise.all([...down.accounts.keys()].map((name) => outcome(runs.sync(down.of(name)))))
    await Promise.all([...up.accounts.keys()].map((name) => runs.sync(up.of(name))))
    await stage.expectMirrored(up)
    const ends = await failing
    for (const end of ends) {
      expect(end).toBeInstanceOf(UnreachableError)
      expect(end).toMatchObject({ exitCode: 4, retryable: true })
    }
    // Half of the turns.
    expect(most).toBeLessThanOrEqual(2)
    // Three accounts show it, and one may have begun beside them; the others waited behind, and each is told by its name.
    const asked = new Set(down.asked()).size
    expect([3, 4]).toContain(asked)
    expect(ends.slice(asked).map((end) => Object(end).message)).toEqual(
      Array.from({ length: 6 - asked }, (_, n) =>
        expect.stringContaining(`Account "down${n + asked}" was not read`),
      ),
    )
    // Back again, the first answer opens it for all.
    down.server.always(send((request) => down.accounts.get(accountIn(request))?.answer(request) ?? {}))
    await Promise.all([...down.accounts.keys()].map((name) => runs.sync(down.of(name))))
    await stage.expectMirrored(down)
  })

  test('an account whose lists never come delays no other, and ends by its own deadline', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(5))
    for (const list of ['a', 'b'])
      service.server.at(`/events/small0-${list}/responses`, ...Array.from({ length: 12 }, () => () => {}))
    await using runs = createRunPool({ ...stage.database, runs: 2, requestsPerHost: 3 })
    const names = [...service.accounts.keys()].slice(1)
    // Its deadline is far away; once all others have ended, it is given up.
    const givenUp = new AbortController()
    const options = { ...service.of('small0'), requestTimeoutMs: 600_000, signal: givenUp.signal }
    const hanging = outcome(runs.sync(options))
    await Promise.all(names.map((name) => runs.sync(service.of(name))))
    givenUp.abort()
    expect(await hanging).toMatchObject({ code: 'interrupted' })
    // With one that is near, it ends by itself.
    expect((await runs.sync({ ...service.of('small0'), requestTimeoutMs: 500 })).status).toBe('partial')
    await stage.expectMirrored(service, names)
  })

  test('an account whose lists never come, alone at its host, leaves a request to an account that comes later', async () => {
    const stage = await stageOf()
    const lists = { 'hanging-a': 1, 'hanging-b': 1, 'hanging-c': 1, 'hanging-d': 1 }
    const service = await stage.service({ ...smallAccounts(2), hanging: lists })
    for (const list of Object.keys(lists)) service.server.at(`/events/${list}/responses`, () => {})
    await using runs = createRunPool({ ...stage.database, runs: 2, requestsPerHost: 3 })
    await runs.sync(service.of('small0'))
    const givenUp = new AbortController()
    const options = { ...service.of('hanging'), requestTimeoutMs: 600_000, signal: givenUp.signal }
    const hanging = outcome(runs.sync(options))
    const asked = () => service.server.requests.filter(({ path }) => /hanging-.*responses/.test(path)).length
    // Two of three: it is alone, and has all that it may.
    await vi.waitFor(() => expect(asked()).toBe(2), { timeout: 20_000 })
    expect((await runs.sync(service.of('small1'))).status).toBe('succeeded')
    expect(asked()).toBe(2)
    givenUp.abort()
    expect(await hanging).toMatchObject({ code: 'interrupted' })
  })

  test('an account whose lists fail by their time limit, again and again, leaves a turn to an account that comes later', async () => {
    const stage = await stageOf()
    const lists = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`hanging-${n}`, 1]))
    const service = await stage.service({ ...smallAccounts(2), hanging: lists })
    for (const list of Object.keys(lists))
      service.server.at(`/events/${list}/responses`, ...Array.from({ length: 3 }, () => () => {}))
    await using runs = createRunPool({ ...stage.database, runs: 2, requestsPerHost: 3 })
    await runs.sync(service.of('small0'))
    const givenUp = new AbortController()
    const limits = { requestTimeoutMs: 500, outage: { maxSilenceMs: 600_000 } }
    const failing = outcome(runs.sync({ ...service.of('hanging'), ...limits, signal: givenUp.signal }))
    const asked = () => service.server.requests.filter(({ path }) => /hanging-.*responses/.test(path)).length
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(5), { timeout: 20_000 })
    expect((await runs.sync(service.of('small1'))).status).toBe('succeeded')
    givenUp.abort()
    expect(await failing).toMatchObject({ code: 'interrupted' })
  })

  test('options that cannot be used are refused at once, before any wait', async () => {
    const stage = await stageOf()
    const service = await stage.service(smallAccounts(1))
    await using runs = createRunPool(stage.database)
    await expect(runs.sync({ ...service.of('small0'), concurrency: 0 })).rejects.toThrow('`concurrency`')
    await expect(runs.sync({ ...service.of('small0'), baseUrl: 'nowhere' })).rejects.toMatchObject({
      exitCode: 2,
    })
    expect(() => createRunPool({ ...stage.database, connections: 2 })).toThrow('from 3 to 10000, not 2')
    expect(() => createRunPool({})).toThrow('`database`')
  })
})

/** The error of a run, or its report. */
function outcome(run: Promise<unknown>): Promise<unknown> {
  return run.catch((error: unknown) => {
    if (!(error instanceof HeadcountError)) throw error
    return error
  })
}

/** The names without those that repeat the one before. */
function blocks(names: ReturnType<PooledService['asked']>): readonly string[] {
  return names.filter((name, n) => name !== names[n - 1])
}

function listening(): { readonly logger: Logger; readonly said: string[] } {
  const said: string[] = []
  const hear = (_: object, message: string) => void said.push(message)
  return { logger: { debug() {}, info: hear, warn: hear, error: hear }, said }
}
