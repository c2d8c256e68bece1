/** `status` with an accounts file. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../../support/accounts/account.ts'
import { change } from '../../../../support/databases/older-schema.ts'
import { parseExposition, sampleOf } from '../../../../support/telemetry/prometheus-text.ts'
import { onBothAccountsStages, onPostgresAccountsStage } from '../../../../support/commands/accounts-stage.ts'

onBothAccountsStages('status of the accounts of a file', (stage) => {
  test('lists those that were never mirrored, and what the mirror has besides', async () => {
    await using s = await stage({
      ada: accountOf({ gala: 3 }),
      bob: accountOf({ fair: 1 }),
      cleo: accountOf({}),
    })
    s.list(['ada', 'cleo'])
    await s.run(['sync', '--quiet'])
    s.list(['bob', 'cleo'], '  - name: dan\n    key_file: keys/none.key\n')
    const json = await s.run(['status', '--json'])
    expect(json.code).toBe(2)
    expect(JSON.parse(json.stdout)).toMatchObject({
      accounts: [
        { account: 'bob', in_file: true, last_run: null, age_ms: null, rows: { events: 0 } },
        { account: 'cleo', in_file: true, last_good_run: { status: 'succeeded' } },
        { account: 'dan', in_file: true, exit_code: 2, last_run: null },
        { account: 'ada', in_file: false, rows: { events: 1, responses: 3 } },
      ],
      faults: [
        {
          name: 'dan',
          place: expect.stringMatching(/accounts\.yaml:6:5$/),
          message: expect.stringContaining('none.key'),
        },
      ],
    })
    expect(json.stderr).toMatch(/^headcount: .*accounts\.yaml:7:5: key_file: cannot read/)

    s.list(['bob', 'cleo'])
    const table = await s.run(['status'])
    expect(table.code).toBe(0)
    const [, , bob, cleo, ada] = table.stdout.split('\n')
    expect(bob).toMatch(/^bob +never read +none yet/)
    expect(cleo).toMatch(/^cleo +good +\S/)
    expect(ada).toMatch(/^ada +not in file/)

    const removed = await s.run(['status', '--account', 'ada', '--json', '--max-age', '1h'])
    expect(removed).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(removed.stdout)).toMatchObject({ accounts: [{ account: 'ada', in_file: false }] })
    const unknown = await s.run(['status', '--account', 'bop'])
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(/has no account "bop".*did you mean bob\?/)

    const monitor = await s.run(['status', '--max-age', '1h'])
    expect(monitor.code).toBe(6)
    expect(monitor.stderr).toBe('headcount: account bob had no good run yet\n')
    s.list(['cleo'])
    // Nobody reads ada any more: that is no fault of the accounts that are kept.
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
  })
})

/** What is read of the file, and what is said of it. */
onPostgresAccountsStage('status of the accounts of a file (postgres)', (stage) => {
  test('an entry that is faulty hides neither its mirror nor the others', async () => {
    await using s = await stage({ ada: accountOf({ gala: 3 }), bob: accountOf({ fair: 1 }) })
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const faulty =
      '  - name: bob\n    key_file: keys/gone.key\n  - key_file: keys/ada.key\n  - name: ada\n    key_file: x\n'
    s.list(['ada'], faulty)
    const json = await s.run(['status', '--json'])
    expect(json.code).toBe(2)
    const { accounts } = JSON.parse(json.stdout) as { accounts: readonly object[] }
    expect(Object.keys(accounts[0] ?? {}).slice(0, 3)).toEqual(['account', 'exit_code', 'error'])
    const gone = { code: 'configuration', message: expect.stringContaining('gone.key') }
    expect(accounts).toMatchObject([
      { account: 'ada', exit_code: 0, error: null, in_file: true, last_run: { status: 'succeeded' } },
      { account: 'bob', exit_code: 2, error: gone, in_file: true, rows: { responses: 1 } },
      { account: null, exit_code: 2, error: { message: expect.stringContaining('name is not set') } },
      { account: 'ada', exit_code: 2, error: { message: expect.stringContaining('stands at') } },
    ])
    expect(accounts).toHaveLength(4)
    const lines = (await s.run(['status', '--format', 'ndjson'])).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
      accounts.map((one) => ({ exit_code: (one as { exit_code: number }).exit_code })),
    )
    const table = await s.run(['status'])
    expect(table.code).toBe(2)
    expect(table.stdout).toMatch(/^bob +faulty entry +\S.*gone\.key/m)
    expect(table.stdout).toMatch(/^\(no name\) +faulty entry +.*name is not set/m)
    expect(table.stdout).toMatch(/^ada +faulty entry +.*stands at/m)
    expect(table.stdout).not.toContain('not in file')

    // A monitor is told by the metrics: those of the others must not stand still.
    const metrics = await s.run(['status', '--format', 'prometheus'])
    expect(metrics.code).toBe(0)
    expect(metrics.stderr).toContain('gone.key')
    const read = parseExposition(metrics.stdout)
    expect(sampleOf(read, 'headcount_accounts_faulty_entries')).toBe(3)
    expect(sampleOf(read, 'headcount_mirror_accounts')).toBe(2)
    for (const account of ['ada', 'bob'])
      expect(sampleOf(read, 'headcount_run_last_success_seconds', { account })).toBeGreaterThan(0)

    s.folder.write('accounts.yaml', 'accounts: [')
    const unread = await s.run(['status', '--format', 'prometheus'])
    expect(unread).toMatchObject({ code: 0, stderr: expect.stringContaining('not YAML') })
    const ofMirror = parseExposition(unread.stdout)
    expect(sampleOf(ofMirror, 'headcount_accounts_faulty_entries')).toBe(1)
    expect(sampleOf(ofMirror, 'headcount_run_last_success_seconds', { account: 'ada' })).toBeGreaterThan(0)
    expect((await s.run(['status'])).code).toBe(2)

    s.list(['ada'], '  - name: new\n    key_file: keys/bob.key\n')
    const ofNew = parseExposition((await s.run(['status', '--format', 'prometheus'])).stdout)
    expect(sampleOf(ofNew, 'headcount_mirror_events_due', { account: 'new' })).toBe(0)
    expect(sampleOf(ofNew, 'headcount_run_last_success_seconds', { account: 'new' })).toBeUndefined()
    expect(sampleOf(ofNew, 'headcount_mirror_events_due', { account: 'bob' })).toBeUndefined()
  })

  test('an account whose key the mirror has under another name is told, for no run of it is stored', async () => {
    await using s = await stage({ ada: accountOf({ gala: 3 }), bob: accountOf({ fair: 1 }) })
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    s.list(
      ['ada'],
      '  - name: bob\n    key_file: keys/bob.key\n  - name: cleo\n    key_file: keys/ada2.key\n',
    )
    s.folder.write('keys/ada2.key', 'nobody-has-this-key')
    expect((await s.run(['status'])).code).toBe(0)
    const cleo = await s.run(['status', '--account', 'cleo'])
    expect(cleo.stdout).not.toContain('too many')
    // Renamed in the file alone.
    s.list(['ada'], '  - name: robert\n    key_file: keys/bob.key\n')
    const { code, stdout } = await s.run(['status'])
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^robert +faulty entry +.* not read: its key is that of account "bob" of the mirror\./m,
    )
    const metrics = parseExposition((await s.run(['status', '--format', 'prometheus'])).stdout)
    expect(sampleOf(metrics, 'headcount_accounts_faulty_entries')).toBe(1)
  })

  test('each account ends as it would alone', async () => {
    await using s = await stage({ ada: accountOf({ gala: 3 }), bob: accountOf({ fair: 1 }) })
    s.list(['ada'])
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    s.list(['ada', 'bob'])
    const json = await s.run(['status', '--json', '--max-age', '1h'])
    expect(json.code).toBe(6)
    expect(JSON.parse(json.stdout)).toMatchObject({
      accounts: [
        { account: 'ada', exit_code: 0 },
        { account: 'bob', exit_code: 6, error: null },
      ],
    })
  })

  test('each account has the settings of its entry', async () => {
    const ada = accountOf({ gala: 25 })
    await using s = await stage({ ada, bob: accountOf({ fair: 1 }) })
    await s.run(['sync', '--quiet'])
    ada.of('gala').splice(5)
    expect((await s.run(['sync', '--all', '--quiet'])).code).toBe(8)
    s.list(['bob'], '  - name: ada\n    key_file: keys/ada.key\n    hold_for: 0s\n')
    const overdue = await s.run(['status', '--max-age', '1h'])
    expect(overdue.stderr).toMatch(/account ada: .*held/)
    expect((await s.run(['status'])).stdout).toMatch(/^ada +held .*event gala \(20 deletions since /m)
    expect((await s.run(['verify'])).stderr).toContain('20 deletions held, and not compared')
    s.list(['ada', 'bob'])
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
    const one = await s.run(['status', '--account', 'ada'])
    expect(one.stdout).toMatch(/^account ada .*\n {2}last good run/)
    expect((await s.run(['status', '--account', 'adda'])).stderr).toMatch(/did you mean ada\?/)
  })

  test('says of a mirror that was moved where it went, as verify does', async () => {
    await using s = await stage({ ada: accountOf({ gala: 3 }), bob: accountOf({ fair: 1 }) })
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    await (async () => {
      await using database = await s.place.open()
      await change(database, [`insert into headcount.moved (moved_to) values ('PGlite in /elsewhere')`])
    })()
    const table = await s.run(['status'])
    expect(table.code).toBe(0)
    expect(table.stdout).toMatch(/^ada +moved .*\n? *.*to PGlite in \/elsewhere/m)
    const verified = await s.run(['verify'])
    expect(verified.code).toBe(0)
    expect(verified.stdout + verified.stderr).toContain('This mirror was moved to PGlite in /elsewhere')
  })
})
