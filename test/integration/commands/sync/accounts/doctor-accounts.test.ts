/** `doctor` with an accounts file: what goes wrong with many accounts, before it does. */
import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accountOf, refusal } from '../../../../support/accounts/account.ts'
import { onBothAccountsStages, onPostgresAccountsStage } from '../../../../support/commands/accounts-stage.ts'
import type { Ran } from '../../../../support/commands/command.ts'
import { onServer } from '../../../../support/databases/databases.ts'
import { closedPort, send, silence, type Step } from '../../../../support/http/fault-server.ts'

const organisers = () => ({ ada: accountOf({ gala: 3 }), bob: accountOf({ fair: 1 }), cleo: accountOf({}) })

interface Doctored {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
  readonly accounts: readonly {
    readonly account: string | null
    readonly exit_code: number
    readonly ok?: boolean
  }[]
}

const documentOf = ({ stdout }: Ran) => JSON.parse(stdout) as Doctored
const checkOf = (ran: Ran, name: string) => documentOf(ran).checks.filter((check) => check.name === name)

onBothAccountsStages('doctor of the accounts of a file', (stage) => {
  test('asks the host once and each key, and writes nothing', async () => {
    await using s = await stage(organisers())
    const ran = await s.run(['doctor'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^ok +configuration +3 accounts in .*accounts\.yaml$/m)
    expect(ran.stdout).toMatch(/^ok +keys +3 of 3 accounts accepted$/m)
    expect(ran.stdout).toMatch(/^ok +list +1 event/m)
    expect(ran.stdout.match(/ name {2,}/g)).toHaveLength(1)
    const asked = s.service.requests.map(({ path, headers }) => `${path} ${headers['x-api-key']}`)
    expect(asked.toSorted()).toEqual([
      '/api/v1/events canary-ada',
      '/api/v1/ping canary-ada',
      '/api/v1/ping canary-bob',
      '/api/v1/ping canary-cleo',
    ])
    expect(ran.stdout + ran.stderr).not.toContain('canary')
  })

  test('tells a key that is refused, a wrong entry, and an account that was renamed in the file alone', async () => {
    await using s = await stage(organisers())
    await s.run(['sync', '--quiet'])
    s.folder.write('keys/eve.key', 'canary-eve')
    s.list(
      ['ada', 'eve'],
      '  - name: choir\n    key_file: keys/bob.key\n  - name: ada\n    key_file: keys/cleo.key\n',
    )
    const ran = await s.run(['doctor', '--json'])
    expect(ran.code).toBe(3)
    expect(checkOf(ran, 'configuration')).toMatchObject([{ state: 'failed', exit_code: 2 }])
    expect(checkOf(ran, 'key')).toMatchObject([
      {
        state: 'failed',
        exit_code: 3,
        detail: expect.stringMatching(/^eve: .*the key in keys\/eve\.key \(/),
      },
    ])
    expect(checkOf(ran, 'accounts')).toMatchObject([
      {
        state: 'failed',
        detail: expect.stringMatching(
          /account "choir" of the file has the key of "bob" of the mirror.*headcount\S* accounts rename bob choir, and/,
        ),
      },
    ])
    expect(documentOf(ran).accounts).toMatchObject([
      { account: 'ada', exit_code: 2, error: { code: 'configuration' } },
      { account: 'ada', exit_code: 0, ok: true },
      { account: 'eve', exit_code: 3, ok: false },
      { account: 'choir', exit_code: 2, ok: false },
    ])
  })
})

onPostgresAccountsStage('doctor of the accounts of a file (postgres)', (stage) => {
  test('finds an account that hangs, though it is the first of its host, and the others well', async () => {
    await using s = await stage(organisers())
    const answer = send({ body: { email: 'organiser@example.org' } })
    const byKey: Step = (socket, request) =>
      (request.headers['x-api-key'] === 'canary-ada' ? silence : answer)(socket, request)
    s.service.at('/ping', ...Array.from({ length: 9 }, () => byKey))
    const ran = await s.run(['doctor', '--json', '--request-timeout', '2s'])
    expect(ran.code).toBe(4)
    expect(checkOf(ran, 'service')).toEqual([])
    expect(checkOf(ran, 'keys')).toMatchObject([{ state: 'warning', detail: '2 of 3 accounts accepted' }])
    expect(documentOf(ran).accounts.map(({ exit_code }) => exit_code)).toEqual([4, 0, 0])
  })

  test('foresees which accounts the next sync refuses, and reads the list of those alone', async () => {
    const accounts = organisers()
    await using s = await stage(accounts)
    const key = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
    expect(checkOf(await s.run(['doctor', '--json']), 'mirrors')).toMatchObject([
      { state: 'ok', detail: 'the next run of 3 accounts is not refused by what the mirror has' },
    ])
    await s.run(['sync', '--quiet'])
    s.folder.write('keys/cleo.key', 'canary-none')
    expect(checkOf(await s.run(['doctor', '--json']), 'mirrors')).toMatchObject([
      { state: 'ok', detail: 'the next run of 2 of 3 accounts is not refused by what the mirror has' },
    ])
    s.folder.write('keys/cleo.key', 'canary-cleo')
    const erase = ['person', 'erase', 'guest2@example.org', '--yes', '--no-vacuum', '--account', 'ada']
    expect((await s.run(erase, { env: key })).code).toBe(0)
    accounts.bob.email = 'else@example.org'
    accounts.bob.remove('fair')
    accounts.bob.add('picnic', 1)
    const asked = s.service.requests.length
    const ran = await s.run(['doctor', '--json'])
    const lists = s.service.requests.slice(asked).filter(({ path }) => path.endsWith('/events'))
    expect(lists.map(({ headers }) => headers['x-api-key'])).toEqual(['canary-ada', 'canary-bob'])
    expect(ran.code).toBe(2)
    expect(documentOf(ran).accounts.map(({ exit_code }) => exit_code)).toEqual([2, 2, 0])
    expect(checkOf(ran, 'mirror')).toMatchObject([
      { state: 'failed', detail: expect.stringMatching(/^ada: Of account "ada" one person was erased, and/) },
      { state: 'failed', detail: expect.stringMatching(/^bob: The mirror of account "bob" seems to be of/) },
    ])
    expect(checkOf(ran, 'mirrors')).toMatchObject([
      { state: 'warning', detail: 'the next run of 2 of 3 accounts will be refused' },
    ])
    const synced = await s.run(['sync', '--quiet', '--format', 'ndjson'])
    const codes = synced.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { account: string; exit_code: number })
    expect(codes.map(({ account, exit_code }) => `${account} ${exit_code}`).toSorted()).toEqual([
      'ada 2',
      'bob 2',
      'cleo 0',
    ])
  })

  test('looks into the mirror with no more connections than a run has', async () => {
    await using s = await stage(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`a${n}`, accountOf({})])),
    )
    const url = new URL(s.place.url)
    const role = `few_${url.pathname.slice(1, 20)}`
    await onServer(`create role ${role} login password 'few' connection limit 3 in role ${url.username}`)
    try {
      Object.assign(url, { username: role, password: 'few' })
      const ran = await s.run(['doctor', '--json', '--runs', '1'], { env: { DATABASE_URL: url.href } })
      expect(checkOf(ran, 'mirrors')).toMatchObject([{ state: 'ok' }])
    } finally {
      await onServer(`drop role ${role}`)
    }
  })

  test('compares the runs at once with what connections there are', async () => {
    await using s = await stage(organisers())
    const detailOf = async (...flags: readonly string[]) =>
      checkOf(await s.run(['doctor', '--json', ...flags]), 'connections')
    expect(await detailOf()).toMatchObject([
      { state: 'ok', detail: expect.stringMatching(/^12 connections for 4 runs at once/) },
    ])
    expect(await detailOf('--connections', '5')).toMatchObject([
      {
        state: 'warning',
        detail: expect.stringMatching(
          /^5 connections carry 1 run at once, and 4 are wanted; 3 accounts take turns: set --connections 12/,
        ),
      },
    ])
    expect(await detailOf('--runs', '256')).toMatchObject([
      {
        state: 'failed',
        exit_code: 5,
        detail: expect.stringMatching(
          /^256 runs at once want 768 connections, and max_connections of the server allows \d+/,
        ),
      },
    ])
  })

  test('warns of keys that every user of the machine can read', async () => {
    await using s = await stage(organisers())
    chmodSync(s.folder.path, 0o755)
    chmodSync(`${s.folder.path}/keys`, 0o755)
    for (const name of ['ada', 'bob', 'cleo'])
      chmodSync(`${s.folder.path}/keys/${name}.key`, name === 'bob' ? 0o644 : 0o600)
    expect(checkOf(await s.run(['doctor', '--json']), 'key files')).toMatchObject([
      {
        state: 'warning',
        detail: expect.stringMatching(/^1 of 3 key files can be read by every user .*bob\.key": chmod 600/),
      },
    ])
  })

  test('sums up several hosts, and asks each', async () => {
    await using s = await stage(organisers())
    const away = `http://127.0.0.1:${await closedPort()}/api/v1`
    s.folder.write('keys/eve.key', 'canary-eve')
    s.list(['ada', 'bob'], `  - name: eve\n    key_file: keys/eve.key\n    base_url: ${away}\n`)
    const ran = await s.run(['doctor', '--json'])
    expect(ran.code).toBe(4)
    expect(checkOf(ran, 'name')).toMatchObject([{ state: 'ok', detail: '2 of 2 hosts' }])
    expect(checkOf(ran, 'service')).toMatchObject([
      { state: 'failed', detail: expect.stringMatching(/^127\.0\.0\.1:\d+: does not answer/) },
    ])
    expect(documentOf(ran).accounts.map(({ account, exit_code }) => [account, exit_code])).toEqual([
      ['ada', 0],
      ['bob', 0],
      ['eve', 4],
    ])
  })

  test('with a name, it is the doctor of one account', async () => {
    await using s = await stage(organisers())
    const ran = await s.run(['doctor', '--account', 'bob', '--json'])
    expect(ran.code).toBe(0)
    expect(Object.keys(documentOf(ran))).toEqual(['ok', 'checks'])
    expect(new Set(s.service.requests.map(({ headers }) => headers['x-api-key']))).toEqual(
      new Set(['canary-bob']),
    )
    expect((await s.run(['doctor', '--account', 'bobb'])).stdout).toMatch(
      /^failed +configuration +.*did you mean bob\?/,
    )
  })

  test('a service that asks for a pause is told at once, with what it says, and is not waited for', async () => {
    await using s = await stage(organisers())
    s.service.always(send(refusal(503, { 'Retry-After': '60', 'Content-Type': 'application/json' })))
    const begin = performance.now()
    const ran = await s.run(['doctor'])
    expect(performance.now() - begin).toBeLessThan(30_000)
    expect(ran.code).toBe(4)
    expect(ran.stdout).toMatch(
      /^failed +service +does not answer: .*503.* asks to come back at \S+ \(Retry-After\)/m,
    )
  })

  test('of a schema that has no keys yet tells nothing of names', async () => {
    await using s = await stage(organisers())
    await using database = await s.place.open()
    await database.transaction(async (trx) => {
      await trx.query('delete from headcount.schema_migrations where number > 9')
      await trx.query('alter table headcount.accounts drop column key_sha256')
    })
    await database.close()
    const ran = await s.run(['doctor', '--json'])
    expect(ran.code).toBe(0)
    for (const name of ['accounts', 'mirrors'])
      expect(checkOf(ran, name)).toMatchObject([{ state: 'skipped' }])
  })

  test('says once that a host is down', async () => {
    await using s = await stage(organisers())
    const base = `http://127.0.0.1:${await closedPort()}/api/v1`
    const ran = await s.run(['doctor', '--json'], { env: { HEADCOUNT_BASE_URL: base } })
    expect(ran.code).toBe(4)
    expect(documentOf(ran).checks.filter(({ state }) => state === 'failed')).toMatchObject([
      { name: 'service', detail: expect.stringContaining('ECONNREFUSED') },
    ])
    expect(documentOf(ran).accounts.map(({ exit_code }) => exit_code)).toEqual([4, 4, 4])
  })
})
