/** `headcount worker` over an accounts file, as an operator runs it. */
import { mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { headcount } from '../../../support/commands/command.ts'
import { startWorker, type Process } from '../../../support/commands/process.ts'
import { engines, freshPlace } from '../../../support/databases/databases.ts'
import { silence } from '../../../support/http/fault-server.ts'
import { keyOf, smallAccounts, startPooledService } from '../../../support/runs/pool-stage.ts'

interface Entry {
  readonly name: string
  readonly key?: string
  readonly schedule?: string
}

const everySecond = '* * * * * *'
const onceAYear = '0 0 1 1 *'

describe.each(engines)('a worker over an accounts file (%s)', (engine) => {
  async function stage(count: number) {
    const service = await startPooledService(smallAccounts(count, 'a'))
    onTestFinished(() => service[Symbol.asyncDispose]())
    const place = await freshPlace(engine)
    onTestFinished(() => place[Symbol.asyncDispose]())
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-accounts-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'accounts.json')
    /** All at once, for a worker may look at any moment: no file is written that is in use. */
    const write = async (entries: readonly Entry[]) => {
      const accounts: object[] = []
      for (const { name, key = keyOf(name), schedule = everySecond } of entries) {
        const key_file = key === keyOf(name) ? `${name}.key` : `${name}-wrong.key`
        await writeFile(join(folder, key_file), key, { mode: 0o600 })
        accounts.push({ name, key_file, schedule })
      }
      await writeFile(
        `${file}.new`,
        JSON.stringify({ defaults: { base_url: service.server.baseUrl.href }, accounts }),
      )
      await rename(`${file}.new`, file)
    }
    const env = { HEADCOUNT_ACCOUNTS_FILE: file, DATABASE_URL: place.url }
    const start = (...args: readonly string[]) => startWorker(['--health-port', '0', ...args], { env })
    const queried = async (text: string) =>
      (await headcount(['query', text, '--json'], { env: { DATABASE_URL: place.url } })).stdout
    return { service, file, write, start, env, queried }
  }

  // A minute, of which a database knows nothing.
  if (engine === 'postgres')
    test('mirrors each by its schedule, tells of each, and follows the file', async () => {
      const s = await stage(4)
      await s.write([
        { name: 'a0' },
        { name: 'a1', schedule: onceAYear },
        { name: 'a2', key: 'wrong-key-of-a2' },
      ])
      await using worker = s.start()
      await worker.says('account a0: sync succeeded', 2)
      await worker.says('account a1: sync succeeded')
      expect(await worker.says('account a2: GET /api/v1/ping was answered with 401')).toMatchObject({
        level: 'error',
        account: 'a2',
        code: 'key_refused',
        msg: expect.stringMatching(/the key in a2-wrong\.key \(/),
      })
      const url = healthOf(worker)
      const health = async (path = '') => {
        const answer = await fetch(`${url}${path}`)
        return { status: answer.status, ...((await answer.json()) as object) }
      }
      // A run in progress counts as healthy, and each second one begins.
      const eventually = (path = '') => expect.poll(() => health(path), { timeout: 20_000 })
      await eventually().toMatchObject({
        status: 503,
        accounts: 3,
        unhealthy: 1,
        reason: '1 of 3 accounts are unhealthy: a2',
        unhealthy_accounts: [{ account: 'a2', reason: expect.stringContaining('key_refused') }],
      })
      expect(await health('/a1')).toMatchObject({ status: 200, healthy: true })
      await eventually('/a2').toMatchObject({ status: 503, healthy: false })
      expect(await health('/nobody')).toMatchObject({
        status: 404,
        reason: 'there is no account "nobody" here',
      })

      await s.write([{ name: 'a0' }, { name: 'a2' }, { name: 'a3' }])
      await worker.says('the accounts changed: 1 new (a3), 1 changed (a2), 1 removed (a1)')
      await worker.says('account a2: sync succeeded')
      await worker.says('account a3: sync succeeded')
      await eventually().toMatchObject({ status: 200, accounts: 3 })
      expect(await health('/a1')).toMatchObject({ status: 404 })

      await unlink(join(dirname(s.file), 'a3.key'))
      expect(await worker.says('goes on with its former settings')).toMatchObject({
        msg: expect.stringContaining('a3.key'),
      })
      const ofA3 = () => worker.log.filter(({ msg }) => msg === 'account a3: sync succeeded').length
      await worker.says('account a3: sync succeeded', ofA3() + 2)
      await eventually().toMatchObject({ status: 503, accounts: 3, unhealthy: 0, faulty_entries: 1 })

      await writeFile(s.file, '{ broken')
      await worker.says('the accounts cannot be read anew, and stay as they were')
      const before = worker.log.filter(({ msg }) => msg === 'account a0: sync succeeded').length
      await worker.says('account a0: sync succeeded', before + 2)
      await eventually().toMatchObject({ status: 503, unhealthy: 0, faulty_entries: 1 })
      worker.kill('SIGTERM')
      const { code, stdout, stderr } = await worker.ended
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
      for (const key of ['key-of-', 'wrong-key']) expect(stderr).not.toContain(key)
      expect(
        await s.queried(`select count(*) as n from headcount.sync_runs where status = 'running'`),
      ).toContain('"n":"0"')
    })

  if (engine === 'postgres')
    test('an account that fails after a restart is healthy while its mirror is fresh', async () => {
      const s = await stage(1)
      await s.write([{ name: 'a0', schedule: onceAYear }])
      await using first = s.start()
      await first.says('account a0: sync succeeded')
      first.kill('SIGTERM')
      await first.ended
      await s.write([{ name: 'a0', schedule: onceAYear, key: 'wrong-key-of-a0' }])
      await using second = s.start()
      await second.says('was answered with 401')
      await expect
        .poll(async () => (await fetch(`${healthOf(second)}/a0`)).json(), { timeout: 20_000 })
        .toMatchObject({ healthy: true, reason: expect.stringContaining('the last good run began') })
    })

  test('O2 SIGTERM ends runs that wait and runs under way, within its time', async () => {
    const s = await stage(12)
    for (const name of s.service.accounts.keys()) s.service.server.at(`/events/${name}-a/responses`, silence)
    await s.write([...s.service.accounts.keys()].map((name) => ({ name, schedule: onceAYear })))
    await using worker = s.start()
    await worker.says('the worker runs 12 accounts now')
    await expect.poll(() => s.service.asked().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(9)
    const began = performance.now()
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(performance.now() - began).toBeLessThan(8000)
    expect(await s.queried(`select status, count(*) as n from headcount.sync_runs group by 1`)).not.toContain(
      'running',
    )
  })
})

describe('a worker over an accounts file', () => {
  test('that has no account that can be used ends at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-accounts-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'accounts.yaml')
    await writeFile(file, 'accounts:\n  - name: ada\n    key_file: missing.key\n')
    const env = {
      HEADCOUNT_ACCOUNTS_FILE: file,
      DATABASE_URL: 'postgres://localhost:1/none',
      HEADCOUNT_BASE_URL: 'https://example.org/api/v1',
    }
    const ended = await headcount(['worker'], { env })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('missing.key')
    const { DATABASE_URL: _, ...without } = env
    const undecided = await headcount(['worker'], { env: without })
    expect(undecided).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_URL') })
  })
})

function healthOf(worker: Process): string {
  const line = worker.log.find(({ msg }) => msg.startsWith('health is answered at'))?.msg ?? ''
  return /http\S+\/healthz/.exec(line)?.[0] ?? ''
}
