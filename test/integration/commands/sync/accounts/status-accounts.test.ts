/** `status` with an accounts file. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../../support/accounts/account.ts'
import { onBothAccountsStages } from '../../../../support/commands/accounts-stage.ts'

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

    const monitor = await s.run(['status', '--max-age', '1h'])
    expect(monitor.code).toBe(6)
    expect(monitor.stderr).toBe('headcount: account bob had no good run yet\n')
    s.list(['cleo'])
    // Nobody reads ada any more: that is no fault of the accounts that are kept.
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
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
    s.list(['ada', 'bob'])
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
    const one = await s.run(['status', '--account', 'ada'])
    expect(one.stdout).toMatch(/^account ada .*\n {2}last good run/)
    expect((await s.run(['status', '--account', 'adda'])).stderr).toMatch(/did you mean ada\?/)
  })
})
