import { expect, test } from 'vitest'
import type { RunReport } from '../../../../src/index.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { onPostgresCommandStage } from '../../../support/commands/command-stage.ts'

onPostgresCommandStage('headcount sync --dry-run', (stage) => {
  test('prints for each table what would be done, with a few keys; --json has all of them', async () => {
    const account = accountOf({ gala: 40, picnic: 30 })
    await using on = await stage(account)
    await on.run(['sync', '--quiet'])
    account.of('gala').splice(0, 20)
    account.of('picnic').splice(28, 2)
    account.add('ball', 1)
    for (const item of account.of('picnic').slice(0, 9))
      Object.assign(Object(item), { name: 'X\n', amount: '1.00' })
    const said = await on.run(['sync', '--dry-run'], { env: { HEADCOUNT_LOG_FORMAT: 'pretty' } })
    expect(said.code).toBe(8)
    expect(said.stdout.split('\n')).toEqual([
      'events: would insert 1 row: ball (The ball)',
      'responses: would insert 1 row: ball 1 (Guest 1)',
      'responses: would update 9 rows (name 9, payment 9, kind 6): picnic 1 (Guest 1), picnic 2 (Guest 2), picnic 3 (Guest 3), picnic 4 (Guest 4), picnic 5 (Guest 5) and 4 more',
      'responses: would delete 2 rows: picnic 29 (Guest 29), picnic 30 (Guest 30)',
      'responses: would hold back 20 rows: gala 1 (Guest 1), gala 2 (Guest 2), gala 3 (Guest 3), gala 4 (Guest 4), gala 5 (Guest 5) and 15 more',
      'payments: would insert 7 rows: ball 1 (Guest 1), picnic 2 (Guest 2), picnic 3 (Guest 3), picnic 5 (Guest 5), picnic 6 (Guest 6) and 2 more',
      'payments: would update 3 rows (amount 3): picnic 1 (Guest 1), picnic 4 (Guest 4), picnic 7 (Guest 7)',
      'slots: would delete 2 rows: picnic 29 slot 1 (Guest 29), picnic 29 slot 2 (Guest 29)',
      '',
    ])
    expect(said.stderr).toMatch(/sync of account default would be held; nothing was written \(dry run/)

    const json = await on.run(['sync', '--dry-run', '--json', '--quiet'])
    const report = JSON.parse(json.stdout) as RunReport
    expect(json.code).toBe(8)
    expect(report).toMatchObject({ run_id: null, dry_run: true, status: 'held', held: 20 })
    expect(report.plan?.responses.held).toHaveLength(20)
    expect(report.plan?.responses.updated[0]).toEqual({
      event_id: 'picnic',
      response_id: '1',
      columns: ['name', 'payment'],
    })
  })
})
