/** `sync`, `backfill` and `verify` of all accounts of a file. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { accountOf, refusal } from '../../../../support/accounts/account.ts'
import { onBothAccountsStages, onPostgresAccountsStage } from '../../../../support/commands/accounts-stage.ts'
import { scriptPath, type Ran } from '../../../../support/commands/command.ts'
import { closedPort, send } from '../../../../support/http/fault-server.ts'

const organisers = () => ({
  ada: accountOf({ gala: 3 }),
  bob: accountOf({ gala: 2, picnic: 1 }),
  cleo: accountOf({ fair: 4 }),
})

interface Result {
  readonly account: string | null
  readonly exit_code: number
  readonly error: { readonly code: string; readonly message: string } | null
  readonly [other: string]: unknown
}

function resultsIn({ stdout }: Ran): readonly Result[] {
  return (JSON.parse(stdout) as { accounts: Result[] }).accounts
}

function byName(results: readonly Result[]): readonly Result[] {
  return results.toSorted((one, other) => String(one.account).localeCompare(String(other.account)))
}

function linesIn({ stdout }: Ran): readonly Result[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
}

function expectNoKey(...ran: readonly Ran[]): void {
  for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toContain('canary')
}

onBothAccountsStages('all accounts of a file', (stage) => {
  test('are mirrored by one sync, each with its own report; a key that is refused and a wrong entry leave the others', async () => {
    await using s = await stage(organisers())
    s.folder.write('keys/eve.key', 'canary-eve')
    s.list(['ada', 'bob', 'cleo', 'eve'], '  - name: dan\n    key_file: keys/none.key\n    hold_foor: 1h\n')
    const ran = await s.run(['sync', '--json'])
    expect(ran.code).toBe(3)
    expect(byName(resultsIn(ran))).toMatchObject([
      { account: 'ada', exit_code: 0, error: null, mode: 'sync', status: 'succeeded', events: { listed: 1 } },
      {
        account: 'bob',
        exit_code: 0,
        error: null,
        status: 'succeeded',
        rows: { responses: { inserted: 3 } },
      },
      {
        account: 'cleo',
        exit_code: 0,
        error: null,
        status: 'succeeded',
        rows: { responses: { inserted: 4 } },
      },
      {
        account: 'dan',
        exit_code: 2,
        error: {
          code: 'configuration',
          message: expect.stringMatching(
            /accounts\.yaml:12:5: "hold_foor" is no setting of an account \(did you mean hold_for\?\)/,
          ),
        },
      },
      {
        account: 'eve',
        exit_code: 3,
        error: {
          code: 'key_refused',
          message: expect.stringMatching(/the key in keys\/eve\.key \(.*accounts\.yaml:\d+:5\) is refused/),
        },
        status: 'failed',
      },
    ])
    const counted = await s.run([
      'query',
      'select name, (select count(*) from responses where account_id = id)::int from accounts order by name',
      '--json',
    ])
    expect(JSON.parse(counted.stdout)).toMatchObject({
      rows: [{ name: 'ada' }, { name: 'bob' }, { name: 'cleo' }, { name: 'eve' }],
    })
    expectNoKey(ran, counted)

    const verified = await s.run(['verify', '--json', '--quiet'])
    expect(
      byName(resultsIn(verified)).map(({ account, exit_code, status }) => [account, exit_code, status]),
    ).toEqual([
      ['ada', 0, 'equal'],
      ['bob', 0, 'equal'],
      ['cleo', 0, 'equal'],
      ['dan', 2, undefined],
      ['eve', 3, undefined],
    ])
    expect(verified.stderr).toMatch(/^verify of 5 accounts in .*: 3 equal, 1 configuration, 1 key refused\n/)
    expectNoKey(verified)
  })
})

onPostgresAccountsStage('all accounts of a file, as they are told', (stage) => {
  test('a line each as soon as it is finished, with --format ndjson', async () => {
    await using s = await stage(organisers())
    const ran = await s.run(['backfill', '--format', 'ndjson', '--quiet'])
    // First runs at once may conflict in an empty mirror: the batch is tried again, and that is told.
    expect(ran.code).toBe(0)
    expect(byName(linesIn(ran))).toMatchObject([
      { account: 'ada', exit_code: 0, error: null, mode: 'backfill' },
      { account: 'bob', exit_code: 0, error: null, mode: 'backfill' },
      { account: 'cleo', exit_code: 0, error: null, mode: 'backfill' },
    ])
    const status = await s.run(['status', '--format', 'ndjson'])
    expect(linesIn(status).map(({ account, in_file }) => [account, in_file])).toEqual([
      ['ada', true],
      ['bob', true],
      ['cleo', true],
    ])
    const one = await s.run(['sync', '--format', 'ndjson', '--quiet', '--account', 'ada'])
    expect(linesIn(one)).toMatchObject([{ account: 'ada', status: 'succeeded' }])
    expect((await s.run(['sync', '--json', '--format', 'ndjson'])).stderr).toMatch(/exclude each other/)
  })

  test('people get a table that fits 80 columns, the worst first; quiet tells only what needs a look', async () => {
    await using s = await stage(organisers())
    s.folder.write('keys/eve.key', 'canary-eve')
    s.list(['ada', 'bob', 'eve'])
    const first = await s.run(['sync'])
    expect(first).toMatchObject({ code: 3, stdout: '' })
    const lines = first.stderr.split('\n')
    expect(lines[0]).toMatch(/^sync of 3 accounts in .*: 2 succeeded, 1 key refused$/)
    expect(lines[3]).toMatch(/^eve +key refused/)
    expect(lines.findIndex((line) => line.startsWith('ada'))).toBeGreaterThan(3)
    expect(Math.max(...lines.slice(0, 4).map((line) => line.length))).toBeLessThanOrEqual(80)
    const quiet = await s.run(['sync', '--quiet'])
    expect(quiet.stderr).toMatch(/^eve /m)
    expect(quiet.stderr).not.toMatch(/^ada /m)
    s.list(['ada', 'bob'])
    expect(await s.run(['sync', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expectNoKey(first, quiet)
  })

  test.skipIf(scriptPath === null)('a terminal shows how far all are, on one line', async () => {
    await using s = await stage(organisers())
    const ran = await s.onTerminal(['sync'], { columns: 80 })
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/\d\/3 accounts/)
    expect(ran.stdout).toMatch(/sync of 3 accounts in .*: 3 succeeded/)
  })

  test('logs in JSON say of each line whose it is', async () => {
    await using s = await stage(organisers())
    await s.run(['sync', '--quiet'])
    s.service.at('/events/gala/responses', ...Array.from({ length: 3 }, () => send({ status: 500 })))
    const ran = await s.run(['sync', '--all'], { env: { HEADCOUNT_LOG_FORMAT: 'json' } })
    const lines = ran.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.at(-1)).toMatchObject({ accounts: 3, failing: expect.any(Number) })
    expect(lines.slice(0, -1).every(({ account }) => typeof account === 'string')).toBe(true)
  })

  test('the exit code is the worst: a key before a list, a list before deletions on hold', async () => {
    const accounts = organisers()
    await using s = await stage(accounts)
    await s.run(['sync', '--quiet'])
    accounts.cleo.of('fair').splice(0)
    expect((await s.run(['sync', '--all', '--quiet'])).code).toBe(8)
    s.service.at('/events/gala/responses', ...Array.from({ length: 4 }, () => send({ status: 400 })))
    expect((await s.run(['sync', '--all', '--quiet'])).code).toBe(6)
    accounts.ada.keys = []
    expect((await s.run(['sync', '--all', '--quiet'])).code).toBe(3)
  })

  test('what confirms something, or names an event, is for one account', async () => {
    await using s = await stage(organisers())
    for (const flags of [['--accept-deletions'], ['--adopt'], ['--event', 'gala']]) {
      const ran = await s.run(['sync', ...flags])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(
        `${flags[0]} is for one account, and the file has several: name it with --account`,
      )
    }
    expect((await s.run(['verify', '--event', 'gala'])).code).toBe(2)
    expect(s.service.requests).toEqual([])
    expect((await s.run(['sync', '--account', 'ada', '--event', 'gala', '--quiet'])).code).toBe(0)
  })

  test('a signal ends all of them, and each is told', async () => {
    await using s = await stage(organisers())
    s.service.always(() => {})
    const ran = await s.run(['sync', '--format', 'ndjson', '--quiet', '--runs', '2'], {
      meanwhile: async (child) => {
        while (s.service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
        child.kill('SIGTERM')
      },
    })
    expect(ran.code).toBe(143)
    expect(
      byName(linesIn(ran)).map(({ account, exit_code, error }) => [account, exit_code, error?.code]),
    ).toEqual([
      ['ada', 143, 'interrupted'],
      ['bob', 143, 'interrupted'],
      ['cleo', 143, 'interrupted'],
    ])
  })

  test('a service that is down for all is said once', async () => {
    await using s = await stage(organisers())
    const ran = await s.run(['sync'], {
      env: { HEADCOUNT_BASE_URL: `http://127.0.0.1:${await closedPort()}/api/v1` },
    })
    expect(ran.code).toBe(4)
    expect(ran.stderr).toMatch(/: 3 unreachable$/m)
    expect(ran.stderr).toMatch(/^ada, bob, cleo +unreachable/m)
    expect(ran.stderr.match(/ECONNREFUSED/g)).toHaveLength(1)
  })

  test('a file without an account that can be used is refused with each fault', async () => {
    await using s = await stage(organisers())
    s.list([], '  - name: dan\n    key_file: keys/none.key\n  - key_file: keys/ada.key\n')
    const ran = await s.run(['sync'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/accounts\.yaml:3:5: key_file: cannot read/)
    expect(ran.stderr).toMatch(/accounts\.yaml:4:5: name is not set/)
  })

  test('serve --sync keeps the one that is named', async () => {
    await using s = await stage(organisers())
    const ran = await s.run(['serve', '--sync'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(
      /for one account, and .*accounts\.yaml has several: name it with --account, or run worker/,
    )
  })

  test('a bare refusal of all keys names each account', async () => {
    await using s = await stage(organisers())
    s.service.always(send(refusal(401)))
    const ran = await s.run(['sync', '--json', '--quiet'])
    expect(ran.code).toBe(3)
    expect(byName(resultsIn(ran)).map(({ account }) => account)).toEqual(['ada', 'bob', 'cleo'])
  })

  test('of which one is named, that one alone is read, and told as ever', async () => {
    await using s = await stage(organisers())
    const one = await s.run(['sync', '--account', 'bob', '--json'])
    expect(one.code).toBe(0)
    expect(JSON.parse(one.stdout)).toMatchObject({ account: 'bob', status: 'succeeded', mode: 'sync' })
    expect(await s.run(['sync', '--quiet', '--account', 'cleo'])).toEqual({ code: 0, stdout: '', stderr: '' })
    const unknown = await s.run(['sync'], { env: { HEADCOUNT_ACCOUNT: 'bobb' } })
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(
      /accounts\.yaml has no account "bobb" \(did you mean bob\?\); it has ada, bob, cleo\./,
    )
    expect(new Set(s.service.requests.map(({ headers }) => headers['x-api-key']))).toEqual(
      new Set(['canary-bob', 'canary-cleo']),
    )
  })
})

onPostgresAccountsStage('notices of all accounts of a file', (stage) => {
  test('ask the mirror over one connection, however many accounts there are', async () => {
    const names = Array.from({ length: 24 }, (_, at) => `a${at}`)
    await using s = await stage(Object.fromEntries(names.map((name) => [name, accountOf({ gala: 1 })])))
    const env = {
      HEADCOUNT_NOTIFY_TO: 'mailto:ops@example.org',
      HEADCOUNT_MAIL_FROM: 'headcount@example.org',
      HEADCOUNT_SMTP_URL: `smtp://127.0.0.1:${await closedPort()}`,
    }
    await s.run(['sync', '--quiet'])
    await using database = await s.place.open()
    /** Postgres counts a session when it ends, a little later. */
    const sessions = async () => {
      const { rows } = await database.transaction((trx) =>
        trx.query('select sessions from pg_stat_database where datname = current_database()'),
      )
      return Number(rows[0]?.[0])
    }
    const before = await sessions()
    expect((await s.run(['sync', '--quiet', '--runs', '1'], { env })).code).toBe(0)
    await sleep(1000)
    expect((await sessions()) - before).toBeLessThan(names.length)
  })
})
