/** A service that only the HTTP proxy of the environment reaches. */
import { expect, test } from 'vitest'
import { createRunPool, sync } from '../../../../src/index.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { startServe, startWorker } from '../../../support/commands/process.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import { answer, startHttpProxy } from '../../../support/http/http-proxy.ts'
import { testKey } from '../../../support/http/reading.ts'

const HEADCOUNT_BASE_URL = 'http://events.example/api/v1'
const secret = 's3cret-of-proxy'

async function proxyStage() {
  await using opened = new AsyncDisposableStack()
  const stage = opened.use(await commandStage('postgres', accountOf({ gala: 3 })))
  const proxy = opened.use(await startHttpProxy(stage.service))
  const resources = opened.move()
  const through = {
    HEADCOUNT_BASE_URL,
    HEADCOUNT_ALLOW_HTTP: '1',
    HTTP_PROXY: proxy.origin.replace('//', `//ann:${secret}@`),
  }
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    stage.run(args, { env: { ...through, ...env } })
  return { stage, proxy, run, through, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

test('sync, doctor and verify go through it, a list of accounts too, and no message shows its password', async () => {
  await using s = await proxyStage()
  const synced = await s.run(['sync', '--json'])
  expect(synced.code).toBe(0)
  expect(JSON.parse(synced.stdout)).toMatchObject({
    status: 'succeeded',
    rows: { responses: { inserted: 3 } },
  })
  expect((await s.run(['verify'])).code).toBe(0)
  const doctor = await s.run(['doctor'])
  expect(doctor).toMatchObject({ code: 0 })
  expect(doctor.stdout).toMatch(/ok +name +127\.0\.0\.1 is an address, a proxy that leads to events\.example/)
  const { asked } = s.proxy
  expect(new Set(asked.map(({ host }) => host))).toEqual(new Set(['events.example:80']))

  const folder = accountsFolder()
  folder.write('ada.key', testKey)
  const HEADCOUNT_ACCOUNTS_FILE = folder.write(
    'accounts.yaml',
    'accounts:\n  - name: default\n    key_file: ada.key\n',
  )
  const before = asked.length
  const all = await s.stage.run(['sync', '-q'], {
    env: {
      HEADCOUNT_BASE_URL,
      HEADCOUNT_ALLOW_HTTP: '1',
      HTTP_PROXY: s.proxy.origin,
      HEADCOUNT_ACCOUNTS_FILE,
      HEADCOUNT_API_KEY: undefined as unknown as string,
    },
  })
  expect(all).toMatchObject({ code: 0, stderr: '' })
  expect(asked.length).toBeGreaterThan(before)

  s.proxy.refuse(answer(407))
  const refused = await s.run(['doctor', '--json'], { HEADCOUNT_LOG_LEVEL: 'debug' })
  expect(refused.code).toBe(4)
  expect(refused.stdout).toMatch(
    /the proxy 127\.0\.0\.1:\d+ refuses the user name or the password \(407\)\. Check HTTP_PROXY;/,
  )
  const unknown = await s.run(['doctor', '--json'], { HTTP_PROXY: 'http://proxy.invalid:3128' })
  expect(unknown.stdout).toContain('proxy.invalid is not known: check HTTP_PROXY and')
  expect(refused.stdout + refused.stderr + synced.stderr + doctor.stdout).not.toContain(secret)
})

test('so do a worker of a queue and serve --sync, and a proxy that asks for another password for a while', async () => {
  await using s = await proxyStage()
  const env = {
    ...s.stage.env,
    ...s.through,
    HEADCOUNT_SCHEDULE: '* * * * * *',
    HEADCOUNT_LOG_LEVEL: 'debug',
  }
  for (const start of [() => startWorker(['--queue'], { env }), () => startServe(['--sync'], { env })]) {
    await using started = start()
    const succeeded = () => started.log.filter(({ report }) => Object(report).status === 'succeeded').length
    await expect.poll(succeeded, { timeout: 60_000 }).toBeGreaterThan(0)
    s.proxy.refuse(answer(407))
    await started.says('refuses the user name or the password (407). Check HTTP_PROXY;')
    s.proxy.refuse()
    const before = succeeded()
    await expect.poll(succeeded, { timeout: 60_000 }).toBeGreaterThan(before)
    started.kill('SIGTERM')
    expect((await started.ended).code).toBe(0)
    expect(started.stderr).not.toContain(secret)
  }
}, 120_000)

test('a host in NO_PROXY and this machine are reached directly', async () => {
  await using s = await proxyStage()
  const own = await s.run(['sync', '-q'], { HEADCOUNT_BASE_URL: s.stage.service.baseUrl.href })
  expect(own.code).toBe(0)
  const excepted = await s.run(['doctor', '--json'], { NO_PROXY: '.example' })
  expect(excepted).toMatchObject({ code: 4, stdout: expect.stringContaining('events.example is not known') })
  expect(s.proxy.asked).toEqual([])
})

test('programs name it by an option, for one call or in a pool', async () => {
  await using s = await proxyStage()
  const call = { apiKey: testKey, baseUrl: HEADCOUNT_BASE_URL, allowHttp: true, proxy: s.proxy.origin }
  const database = s.stage.place.url
  expect(await sync({ ...call, database })).toMatchObject({ rows: { responses: { inserted: 3 } } })
  await using pool = createRunPool({ database })
  expect(await pool.sync(call)).toMatchObject({ status: 'succeeded' })
  expect(await pool.verify(call)).toMatchObject({ differences: [] })
  await expect(sync({ ...call, database, proxy: `socks5://ann:${secret}@p.example` })).rejects.toThrow(
    /^The option `proxy` must begin with http:\/\/ or https:\/\/, [^@]*$/,
  )
})
