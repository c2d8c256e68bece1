import { expect, test } from 'vitest'
import type { VerifyReport } from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { onPostgresCommandStage } from '../../../support/commands/command-stage.ts'
import type { CommandStage } from '../../../support/commands/command-stage.ts'

async function change({ place }: CommandStage, statement: string): Promise<void> {
  await using database = await place.open()
  await database.transaction((trx) => trx.query(statement))
}

onPostgresCommandStage('headcount verify', (stage) => {
  test('equal: exit 0 and nothing on stdout; --quiet says nothing at all', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 1 }))
    await on.run(['sync', '--quiet'])
    const said = await on.run(['verify'], { env: { HEADCOUNT_LOG_FORMAT: 'pretty' } })
    expect(said).toMatchObject({ code: 0, stdout: '' })
    expect(said.stderr).toMatch(/verify of account default equal in .*2 of 2 compared/s)
    expect(await on.run(['verify', '--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('each difference is printed, clean and on one line; exit 10; backfill is named', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 1 }))
    await on.run(['sync', '--quiet'])
    await change(
      on,
      `update headcount.responses set name = E'a\\n\\x1b[31m' where event_id = 'gala' and id = 2`,
    )
    await change(on, `delete from headcount.responses where event_id = 'picnic'`)
    const said = await on.run(['verify'], { env: { HEADCOUNT_LOG_FORMAT: 'pretty' } })
    expect(said.code).toBe(10)
    expect(said.stdout).toBe(
      'responses gala 2: name is a\\n, the service says Guest 2\n' +
        'responses picnic 1: missing, the service has {"kind": "payment", "name": "Guest 1", "email": "guest1@exa…\n',
    )
    expect(said.stderr).toMatch(/different: 2 differences.*headcount backfill --restart corrects them/s)

    const json = await on.run(['verify', '--json', '--quiet', '--event', 'gala'])
    const report = JSON.parse(json.stdout) as VerifyReport
    expect(json.code).toBe(10)
    expect(report).toMatchObject({ differences_total: 1, lists_compared: 1, lists_changed: [] })
    expect(report.differences).toEqual([
      {
        table: 'responses',
        event_id: 'gala',
        response_id: '2',
        position: null,
        difference: 'differs',
        column: 'name',
        expected: 'Guest 2',
        found: 'a\n\u001b[31m',
      },
    ])
  })

  test('a list that differs and has no digest: exit 6, and why that is neither equal nor different', async () => {
    const account = accountOf({ gala: 40, picnic: 2 })
    await using on = await stage(account)
    await on.run(['sync', '--quiet'])
    account.of('gala').splice(0, 20)
    await on.run(['sync', '--quiet'])
    await using database = await on.place.open()
    await database.transaction((trx) =>
      trx.query(`update headcount.responses set name = 'X' where event_id = 'gala'`),
    )
    const said = await on.run(['verify'], { env: { HEADCOUNT_LOG_FORMAT: 'pretty' } })
    expect(said).toMatchObject({ code: 6, stdout: '' })
    expect(said.stderr).toMatch(
      /undecided gala: the list of responses differs from the mirror; without a stored/,
    )
    expect(said.stderr).toMatch(/held 20 deletions, no difference/)
  })

  test('when every list has changed since the last sync: exit 6, and which', async () => {
    const account = accountOf({ gala: 3 })
    await using on = await stage(account)
    await on.run(['sync', '--quiet'])
    account.of('gala').push(responseItem(4))
    const said = await on.run(['verify', '--sample', '1'], { env: { HEADCOUNT_LOG_FORMAT: 'pretty' } })
    expect(said).toMatchObject({ code: 6, stdout: '' })
    expect(said.stderr).toMatch(/changed gala: responses changed since the last sync/)
  })
})
