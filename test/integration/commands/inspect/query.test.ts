import { spawnSync } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { inShell, scriptPath } from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startPoolingProxy } from '../../../support/databases/pooling-proxy.ts'

describe('query', () => {
  let s: CommandStage
  beforeAll(async () => {
    s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
  })
  afterAll(() => s[Symbol.asyncDispose]())

  test('X8 answers what a cursor can be declared for, explain of it, and show; all else writes nothing', async () => {
    const refused = await s.run(['query', 'delete from responses'])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toBe(
      'headcount: query: syntax error at or near "delete"; query takes one select, with, values, table, explain or show, and only reads\n',
    )
    const explained = await s.run(['query', 'explain (costs off) select from responses'])
    expect(explained).toMatchObject({ code: 0, stdout: 'QUERY PLAN\nSeq Scan on responses\n' })
  })

  test('ends a statement that takes too long', async () => {
    const ran = await s.run(['query', 'select pg_sleep(20)', '--timeout', '200ms'])
    expect(ran.code).toBe(5)
    expect(ran.stderr).toBe(
      'headcount: query: the statement took longer than 200 ms; --timeout allows another time\n',
    )
  })

  test.each(['directly', 'behind a proxy'])(
    'is cancelled on the server when a signal ends it (%s)',
    async (how) => {
      await using proxy = how === 'directly' ? null : await startPoolingProxy(s.place.url)
      const env = proxy === null ? {} : { DATABASE_URL: proxy.url }
      await using database = await connect(s.place.url)
      const sleeping = async () => {
        const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity
         where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`.execute(
          database.kysely,
        )
        return rows[0]?.n
      }
      const ran = await s.run(['query', 'select pg_sleep(600)', '--timeout', '10m'], {
        env,
        meanwhile: async (child) => {
          await expect.poll(sleeping, { timeout: 20_000 }).toBe(1)
          child.kill('SIGINT')
        },
      })
      expect(ran).toMatchObject({ code: 130, stdout: '', stderr: 'headcount: interrupted by SIGINT\n' })
      await expect.poll(sleeping, { timeout: 20_000 }).toBe(0)
    },
  )

  test('says what is wrong with a statement, where, and what Postgres advises', async () => {
    const missing = await s.run(['query', "/* who? */\nselect '😀', *\n  from nothing"])
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toBe(
      [
        'headcount: query: relation "nothing" does not exist',
        'line 3:   from nothing',
        '               ^',
        '',
      ].join('\n'),
    )
    const wide = await s.run(['query', "select '日本' as a, nam from responses"])
    expect(wide.stderr).toBe(
      [
        'headcount: query: column "nam" does not exist',
        "line 1: select '日本' as a, nam from responses",
        '                            ^',
        'Hint: Perhaps you meant to reference the column "responses.name".',
        '',
      ].join('\n'),
    )
    const long = await s.run([
      'query',
      `select ${'1, '.repeat(100)} nam from responses where true and ${'true and '.repeat(9)}true`,
    ])
    expect(long.stderr.split('\n')[1]?.length).toBeLessThanOrEqual(80)
    expect(long.stderr).toMatch(/^line 1: ….* nam from responses w…\n +\^$/m)
  })

  test('an error that comes with the rows is one of the statement, too', async () => {
    const ran = await s.run(['query', 'select 1 / (id - 2) as n from responses'])
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toBe('headcount: query: division by zero\n')
  })

  test('two columns of one name are numbered in JSON, and stand as they are elsewhere', async () => {
    const statement = 'select r.id, e.id, 1 as x, 2 as x from responses r, events e limit 1'
    expect((await s.run(['query', statement])).stdout).toBe('id,id,x,x\n1,gala,1,2\n')
    const ran = await s.run(['query', statement, '--format', 'ndjson'])
    expect(JSON.parse(ran.stdout)).toEqual({ id: '1', id_2: 'gala', x: 1, x_2: 2 })
  })

  test('--limit stops reading and says that there is more, and says nothing where there is not', async () => {
    const cut = await s.run([
      'query',
      'select generate_series(1, 5000) as n',
      '--limit',
      '150',
      '--no-header',
    ])
    expect(cut).toMatchObject({ code: 0 })
    expect(cut.stdout.trimEnd().split('\n')).toHaveLength(150)
    expect(cut.stderr).toBe('headcount: the first 150 rows; there are more (--limit 150)\n')
    const whole = await s.run(['query', 'select generate_series(1, 150) as n', '--limit', '150'])
    expect(whole).toMatchObject({ code: 0, stderr: '' })
  })

  test('--timezone is that of the days in the statement and of the times in the answer', async () => {
    const statement = `select timestamptz '2026-07-01 22:30Z' as at, (timestamptz '2026-07-01 22:30Z')::date as day`
    const ran = await s.run(['query', statement, '--timezone', 'Europe/Berlin'])
    expect(ran.stdout).toBe('at,day\n2026-07-02T00:30:00+02:00,2026-07-02\n')
    expect((await s.run(['query', statement])).stdout).toBe('at,day\n2026-07-01T22:30:00Z,2026-07-01\n')
    expect(await s.run(['query', statement, '--timezone', 'Mars/Olympus'])).toMatchObject({ code: 2 })
    // Local mean time has seconds; Postgres prints the same.
    const old = `select timestamptz '1890-01-01 00:00Z' as mean, timestamptz '9999-12-31 23:59:59Z' as last`
    expect((await s.run(['query', old, '--timezone', 'Europe/Berlin'])).stdout).toBe(
      'mean,last\n1890-01-01T00:53:28+00:53:28,10000-01-01T00:59:59+01:00\n',
    )
  })

  test('--output writes a whole file in the format of its name, or leaves the former one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-query-'))
    const file = join(folder, 'answer.ndjson')
    const left = `${file}.0123456789abcdef.headcount.part`
    await writeFile(left, 'of a killed one')
    await utimes(left, new Date(), new Date(Date.now() - 4_000_000))
    await writeFile(file, 'former', { mode: 0o644 })
    const written = await s.run(['query', 'select 1 as n, null as nothing', '--output', file])
    expect(written).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await readFile(file, 'utf8')).toBe('{"n":1,"nothing":null}\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const failed = await s.run(['query', 'select 1 / (3 - n) from generate_series(1, 3) n', '--output', file])
    expect(failed).toMatchObject({ code: 2 })
    expect(await readFile(file, 'utf8')).toBe('{"n":1,"nothing":null}\n')
    expect(await readdir(folder)).toEqual(['answer.ndjson'])
    const nowhere = await s.run(['query', 'select 1', '--output', join(folder, 'no', 'file.csv')])
    expect(nowhere).toMatchObject({ code: 2 })
    expect(nowhere.stderr).toContain(`--output: there is no folder ${join(folder, 'no')}: make it first`)
    const pipe = join(folder, 'pipe.csv')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    const piped = await s.run(['query', 'select 1', '--output', pipe])
    expect(piped).toMatchObject({ code: 2, stdout: '' })
    expect(piped.stderr).toContain('is no regular file: name a file, or leave --output out for stdout')
    expect((await lstat(pipe)).isFIFO()).toBe(true)
    await rm(folder, { recursive: true })
  })

  test.each([
    ['rows.xlsx', 'not .xlsx: headcount export --format xlsx'],
    ['rows.XLSX', 'not .xlsx: headcount export --format xlsx'],
    ['rows.parquet', 'not .parquet: headcount export --format parquet'],
    ['rows.json.gz', 'not .gz: leave --output out, and pipe the result into gzip'],
  ])('--output %s is refused, for it would be CSV under that name', async (name, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-query-'))
    const ran = await s.run(['query', 'select 1', '--excel', '--output', join(folder, name)])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(await readdir(folder)).toEqual([])
    await rm(folder, { recursive: true })
  })

  test('--output takes the format of its name in any case, and - for stdout', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-query-'))
    const file = join(folder, 'ROWS.JSON')
    expect((await s.run(['query', 'select 1 as n', '--output', file])).code).toBe(0)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ rows: [{ n: 1 }] })
    await rm(folder, { recursive: true })
    const stdout = await s.run(['query', 'select 1 as n', '--output', '-'])
    expect(stdout).toEqual({ code: 0, stdout: 'n\n1\n', stderr: '' })
  })

  test.each([
    [['--safe-csv', '--json'], '--safe-csv is for csv: the format is json'],
    [['--json-numbers'], '--json-numbers is for json and ndjson: the format is csv'],
    [['--no-header', '--format', 'ndjson'], '--no-header is for table and csv: the format is ndjson'],
    [['--excel', '--json'], '--json and --excel contradict each other'],
  ])('%j without effect is refused', async (flags, message) => {
    const ran = await s.run(['query', 'select 1', ...flags])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  test('answers csv in a pipe, and what is asked for anywhere', async () => {
    const statement = `select id, '=1+1' as formula from responses where id = 1`
    const answers = await Promise.all(
      [[], ['--format', 'table'], ['--format', 'ndjson'], ['--json'], ['--format', 'csv', '--safe-csv']].map(
        async (flags) => (await s.run(['query', statement, ...flags])).stdout,
      ),
    )
    expect(answers).toEqual([
      'id,formula\n1,=1+1\n',
      'id  formula\n──  ───────\n 1  =1+1\n(1 row)\n',
      '{"id":"1","formula":"=1+1"}\n',
      '{"columns":["id","formula"],"rows":[\n{"id":"1","formula":"=1+1"}\n]}\n',
      "id,formula\n1,'=1+1\n",
    ])
  })

  test('finds tables by their plain names, in UTC, views too', async () => {
    const answer = await s.run([
      'query',
      "select current_setting('TimeZone') as zone, count(*) from response_details",
    ])
    expect(answer.stdout).toBe('zone,count\nUTC,3\n')
  })

  test('takes the statement from stdin', async () => {
    expect((await s.run(['query', '-'], { stdin: 'select 7 as n' })).stdout).toBe('n\n7\n')
  })

  test('O8 a reader that has seen enough is no failure', async () => {
    const line = `$HEADCOUNT query "select generate_series(1, 200000) as n" | head -1; echo "\${PIPESTATUS[0]}"`
    expect(await inShell(line, { env: s.env })).toEqual({ code: 0, stdout: 'n\n0\n', stderr: '' })
  })

  test.skipIf(scriptPath === null)(
    'X5 on a terminal, a table that sends no escapes (needs script of util-linux)',
    async () => {
      const statement = `select U&'\\001b[2JEve\\009b1m' as name, 1.50 as amount`
      const { stdout } = await s.onTerminal(['query', statement], { env: { NO_COLOR: '1' } })
      expect(stdout).not.toMatch(/[\u001b\u009b]/)
      expect(stdout).toContain('(1 row)')
      expect((await s.onTerminal(['query', statement, '--json'])).stdout).not.toMatch(/[\u001b\u009b]/)
    },
  )

  describe.skipIf(scriptPath === null)('on a terminal (needs script of util-linux)', () => {
    const plain = { NO_COLOR: '1' }
    const wide = `select 1 as id, repeat('x', 71) as message, 'end' as last`

    test('rows that do not fit stand with a field a line, and no cell is cut', async () => {
      const narrow = await s.onTerminal(['query', wide], { columns: 80, env: plain })
      expect(narrow.stdout).toContain(`\r\nid       1\r\nmessage  ${'x'.repeat(71)}\r\nlast     end\r\n`)
      const broad = await s.onTerminal(['query', wide], { columns: 120, env: plain })
      expect(broad.stdout).toContain(` 1  ${'x'.repeat(71)}  end\r\n`)
      for (const { stdout } of [narrow, broad]) expect(stdout).not.toContain('…')
    })

    test('an answer that is longer than the screen goes through the pager, a short one does not', async () => {
      const env = { ...plain, HEADCOUNT_PAGER: 'sed s/^/paged:/' }
      const long = await s.onTerminal(['query', 'select generate_series(1, 30) as n'], { rows: 24, env })
      expect(long).toMatchObject({ code: 0 })
      expect(long.stdout).toContain('paged:30')
      const short = await s.onTerminal(['query', 'select 1 as n'], { rows: 24, env })
      expect(short.stdout).not.toContain('paged')
      const piped = await s.run(['query', 'select generate_series(1, 30) as n'], { env })
      expect(piped.stdout).not.toContain('paged')
    })

    test('a pager that is left early ends the query, which is no failure', async () => {
      const env = { ...plain, PAGER: 'head -1' }
      const statement = 'select generate_series(1, 100000000) as n'
      const ran = await s.onTerminal(['query', statement, '--format', 'csv'], { rows: 24, env })
      expect(ran).toMatchObject({ code: 0, stdout: 'n\r\n' })
    })
  })
})

test('the first question of README counts replies, tickets and sign-ups, each person once', async () => {
  const account = accountOf({})
  account.add('gala', 0, { event_at: '2999-01-01T19:00:00Z' })
  const base = { message: null, created_at: '2026-01-01T10:00:00Z', updated_at: '2026-01-01T10:00:00Z' }
  const slots = [{ name: 'Bar', start_date: '2999-01-01T18:00:00Z', end_date: '2999-01-01T20:00:00Z' }]
  const responses = [
    { name: 'Anna', email: 'Anna@example.org', quantity: 2, rsvp: 'yes' },
    { name: 'Anna', email: ' anna@EXAMPLE.org', quantity: 1, amount: '10.00' },
    { name: 'Anna', email: 'anna@example.org', quantity: 1, slots },
    { name: 'Ben', email: 'ben@example.org', quantity: 3, amount: '30.00' },
    { name: 'Cid', email: '', quantity: 1, slots },
    { name: 'Eve', email: '', quantity: 1, slots },
    { name: 'Dora', email: 'dora@example.org', quantity: 4, rsvp: 'no' },
    { name: 'Flo', email: null, quantity: 2, rsvp: 'maybe' },
  ]
  account.of('gala').push(...responses.map((response, at) => ({ id: at + 1, ...base, ...response })))
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [, statement = ''] = /```sql\n([^`]*)```/.exec(readme) ?? []
  const answer = await s.run(['query', statement, '--format', 'ndjson'])
  // Anna 2, Ben 3, Cid and Eve 1 each; nobody is one person with another because neither has an address.
  expect(JSON.parse(answer.stdout)).toMatchObject({ expected: '7', maybe: '2' })
})
