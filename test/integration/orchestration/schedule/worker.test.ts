/** `headcount worker` as an operator runs it: a process that goes on until it is told to stop. */
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { headcount } from '../../../support/commands/command.ts'
import {
  commandStage,
  onBothCommandStages,
  type CommandStage,
} from '../../../support/commands/command-stage.ts'
import { startProxyAt } from '../../../support/databases/database-proxy.ts'
import { lockTable } from '../../../support/databases/locks.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import { closedPort, send, silence } from '../../../support/http/fault-server.ts'
import { startWorker, type Process } from '../../../support/commands/process.ts'
import { testKey } from '../../../support/http/reading.ts'

const everySecond = ['--schedule', '* * * * * *']
/** A schedule that does not come while a test runs. */
const onceAYear = ['--schedule', '0 0 1 1 *']

async function runsOf(stage: CommandStage): Promise<readonly { status: string }[]> {
  const { stdout } = await stage.run(['runs', '--json'])
  return (JSON.parse(stdout) as { runs: { status: string }[] }).runs
}

function healthOf(worker: Process): string {
  return String(
    worker.log
      .find(({ msg }) => msg.startsWith('health is answered at'))
      ?.msg.split(' ')
      .at(-1),
  )
}

onBothCommandStages('a worker', (stage, engine) => {
  test('mirrors at once and at every tick, and between runs other commands can look', async () => {
    const account = accountOf({ gala: 3 })
    await using s = await stage(account)
    await using worker = startWorker(everySecond, { env: s.env })
    await worker.says('sync succeeded')
    account.of('gala').pop()
    const count = async () => (await s.run(['query', 'select count(*) as n from responses', '--json'])).stdout
    await expect.poll(count, { timeout: 20_000, interval: 300 }).toContain('"n":"2"')
    worker.kill('SIGTERM')
    const { code, stdout, stderr } = await worker.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).not.toContain(testKey.slice(0, 11))
    // The signal may come in the middle of a tick's run.
    const [last, ...others] = await runsOf(s)
    expect(['succeeded', 'interrupted']).toContain(last?.status)
    expect(others.every(({ status }) => status === 'succeeded')).toBe(true)
  })

  // All signals are heard by one handler, that of the engine is what ends.
  test.each(engine === 'postgres' ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGTERM'] as const))(
    'O2 %s in the middle of a run: that run is interrupted, and the worker ends with 0',
    async (signal) => {
      await using s = await stage(accountOf({ gala: 3 }))
      s.service.at('/events/gala/responses', silence)
      await using worker = startWorker(onceAYear, { env: s.env })
      await expect.poll(() => s.service.requests.length, { timeout: 20_000 }).toBe(3)
      // On PGlite through the worker, which has the folder open.
      expect(await runsOf(s)).toMatchObject([{ status: 'running' }])
      const began = performance.now()
      worker.kill(signal)
      expect((await worker.ended).code).toBe(0)
      expect(performance.now() - began).toBeLessThan(8000)
      expect(await runsOf(s)).toMatchObject([{ status: 'interrupted' }])
    },
  )
})

/** With the key of an account in a folder, a worker is one of many accounts. */
function inKeysFolder({ HEADCOUNT_API_KEY: key = '', ...env }: CommandStage['env']) {
  const folder = accountsFolder()
  return { ...env, HEADCOUNT_KEYS_DIR: dirname(folder.write('keys/default', key)) }
}

test.each([
  ['of one account', [], (env: CommandStage['env']) => env],
  ['of many accounts', [], inKeysFolder],
  ['of a queue', ['--queue'], (env: CommandStage['env']) => env],
] as const)(
  'O2 SIGTERM while the end of a run waits for a lock: a worker %s ends with 0 within its bound all the same',
  async (_, flags, envOf) => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.at('/events/gala/responses', silence)
    await using worker = startWorker([...onceAYear, ...flags], { env: envOf(s.env) })
    await expect.poll(() => s.service.requests.length, { timeout: 20_000 }).toBe(3)
    await using database = await s.place.open()
    await using _locked = await lockTable(database, 'sync_runs')
    const began = performance.now()
    worker.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('was cut off') })
    // A container is given 10 s.
    expect(performance.now() - began).toBeLessThan(10_000)
  },
)

test('O3 run longer than the interval: ticks are skipped and counted', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  s.service.at('/events/gala/responses', silence)
  await using worker = startWorker([...everySecond, '--health-port', '0'], { env: s.env })
  expect(await worker.says('a tick was skipped', 2)).toMatchObject({ skipped_ticks: 2 })
  expect(await (await fetch(healthOf(worker))).json()).toMatchObject({
    healthy: true,
    reason: 'a run is in progress',
    skipped_ticks: expect.any(Number),
  })
})

describe('a run that failed does not end the worker:', () => {
  test('D1 down at the start: it starts all the same, says it is not healthy, and recovers', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const database = new URL(s.place.url)
    database.port = String(await closedPort())
    const args = [...everySecond, '--health-port', '0']
    await using worker = startWorker(args, { env: { ...s.env, DATABASE_URL: database.href } })
    expect(await worker.says('Postgres at')).toMatchObject({ level: 'error', code: 'database' })
    await worker.says('the next run is at', 2)
    const health = async () => {
      const answer = await fetch(healthOf(worker))
      return { status: answer.status, body: await answer.json() }
    }
    // The next run may be under way, which the reason says before the end of the last one.
    await expect.poll(health, { timeout: 20_000 }).toMatchObject({
      status: 503,
      body: {
        healthy: false,
        reason: expect.stringMatching(/^there has been no good run yet; the last run: database: /),
      },
    })
    // The database comes back under the address that the worker knows.
    await using _proxy = await startProxyAt(Number(database.port), s.place.url)
    await worker.says('sync succeeded')
    // By this schedule the mirror is fresh for two seconds: on a busy machine the answer may come between two runs.
    await expect.poll(async () => (await fetch(healthOf(worker))).status, { timeout: 20_000 }).toBe(200)
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('the service is away', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const env = { ...s.env, HEADCOUNT_BASE_URL: `http://127.0.0.1:${await closedPort()}/api/v1` }
    await using worker = startWorker(onceAYear, { env })
    await worker.says('the next run is at')
    expect(worker.log).toContainEqual(expect.objectContaining({ level: 'error', code: 'unreachable' }))
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('the service is away, and the mirror is fresh by a run before: healthy', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const env = { ...s.env, HEADCOUNT_BASE_URL: `http://127.0.0.1:${await closedPort()}/api/v1` }
    await using worker = startWorker([...onceAYear, '--health-port', '0'], { env })
    await worker.says('the next run is at')
    await expect
      .poll(async () => (await fetch(healthOf(worker))).json(), { timeout: 20_000 })
      .toMatchObject({ healthy: true, reason: expect.stringContaining('the last good run began') })
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('another run holds the account: a warning', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.at('/events/gala/responses', silence)
    await using first = startWorker(onceAYear, { env: s.env })
    await expect.poll(() => s.service.requests.length, { timeout: 60_000 }).toBe(3)
    await using second = startWorker(everySecond, { env: s.env })
    expect(await second.says('Another run holds account')).toMatchObject({
      level: 'warn',
      code: 'account_busy',
    })
    first.kill('SIGTERM')
    await first.ended
    await second.says('sync succeeded')
  })
})

describe('what no later run will mend ends it:', () => {
  test('H1 401: the key is refused, exit 3', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.always(send(refusal(401)))
    await using worker = startWorker(everySecond, { env: s.env })
    const { code, stderr } = await worker.ended
    expect(code).toBe(3)
    expect(stderr).toMatch(/^headcount: .*key/im)
    expect(stderr).not.toContain(testKey.slice(0, 11))
  })

  test('H3 404 on the event list: the base address is wrong, exit 2', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.always(send({ status: 404 }))
    await using worker = startWorker(everySecond, { env: s.env })
    expect((await worker.ended).code).toBe(2)
  })
})

test('H3 404 after a good run: the worker goes on, and mirrors again when the service is back', async () => {
  const account = accountOf({ gala: 3 })
  await using s = await commandStage('postgres', account)
  await using worker = startWorker(everySecond, { env: s.env })
  await worker.says('sync succeeded')
  s.service.always(send({ status: 404 }))
  await worker.says('404')
  const before = worker.log.filter(({ msg }) => msg.includes('sync succeeded')).length
  s.service.always(send((request) => account.answer(request)))
  await worker.says('sync succeeded', before + 1)
  worker.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
})

test('O2 SIGTERM while the database accepts connections and says nothing: 0 within 8 s', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await using mute = await startSilentServer()
  await using worker = startWorker(onceAYear, {
    env: { ...s.env, DATABASE_URL: `postgres://headcount:pw@127.0.0.1:${mute.port}/headcount` },
  })
  await expect.poll(mute.connections, { timeout: 20_000 }).toBeGreaterThan(0)
  const began = performance.now()
  worker.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
  expect(performance.now() - began).toBeLessThan(8000)
})

describe('O7 settings that cannot be used end it with 2 before anything runs:', () => {
  const good = { HEADCOUNT_BASE_URL: 'https://events.example/api/v1', HEADCOUNT_API_KEY: 'abcdefgh' }

  test('every fault at once, and no default for the database', async () => {
    const ran = await headcount(['worker', '--schedule', '61 * * * *', '--timezone', 'Mars/Olympus'], {
      env: { HEADCOUNT_API_KEY: 'abc\ndef', HEADCOUNT_HEALTHPORT: '8081' },
    })
    expect(ran.code).toBe(2)
    for (const fault of [
      /HEADCOUNT_HEALTHPORT is no setting of headcount \(did you mean HEADCOUNT_HEALTH_PORT\?\)/,
      /HEADCOUNT_BASE_URL is not set/,
      /HEADCOUNT_API_KEY must be one line/,
      /DATABASE_URL is not set: .*DATABASE_URL_FILE.*there is no default here/,
      /--schedule must be a cron schedule .*for example --schedule "\*\/15 \* \* \* \*"/,
      /--timezone must be a time zone of the IANA list/,
    ]) {
      expect(ran.stderr).toMatch(fault)
    }
  })

  test('an unknown flag', async () => {
    const ran = await headcount(['worker', '--shedule', '* * * * *'], { env: good })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('worker has no flag --shedule (did you mean --schedule?)')
  })

  test('a flag for an embedded database, with a server', async () => {
    const ran = await headcount(['worker', '--keep-open', '--database', 'postgres://127.0.0.1:1/x'], {
      env: good,
    })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('worker: --keep-open is for a pglite: folder')
  })

  test('a health host in a zone that is not here', async () => {
    const monitored = { HEADCOUNT_HEALTH_HOST: 'fe80::1%none', HEADCOUNT_HEALTH_PORT: '1' }
    const ran = await headcount(['worker'], { env: { ...good, ...monitored, DATABASE_URL: 'pglite:memory' } })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/cannot listen on \[fe80::1%none\]:1 .*choose another .*HEADCOUNT_HEALTH_HOST/)
  })

  test('but a health port that Kubernetes made up is none of ours', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const env = {
      ...s.env,
      HEADCOUNT_HEALTH_PORT: 'tcp://10.0.0.1:8081',
      HEADCOUNT_PORT_8081_TCP_ADDR: '10.0.0.1',
    }
    await using worker = startWorker(onceAYear, { env })
    await worker.says('sync succeeded')
  })
})
