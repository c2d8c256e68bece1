import { expect, test } from 'vitest'
import { accountOf, responsesFrom } from '../../../support/accounts/account.ts'
import { onBothStages, onPostgresStage, pause } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** The live tables and history. */
function kept({ mirror }: Stage): unknown {
  return (['events', 'responses', 'payments', 'slots', 'event_history', 'response_history'] as const).map(
    (table) => mirror.rows(table),
  )
}

onPostgresStage('D8 D9 two runs for one account', (stage) => {
  test('D8 at once: the second ends with exit 9, naming the first', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const paused = pause(on, '/ping')
    const first = on.run('sync')
    await paused.reached
    const second = await on.run('backfill')
    expect(second).toMatchObject({ exit: 9, status: null, error: { code: 'account_busy' } })
    expect(second.error?.message).toMatch(new RegExp(`sync 1, process ${process.pid} on`))
    paused.release()
    expect(await first).toMatchObject({ exit: 0 })
    await on.look()
    on.expectMirrored()
  })

  test('D8 for two accounts in one mirror: both run, and neither touches the other', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const paused = pause(on, '/ping')
    const first = on.run('sync')
    await paused.reached
    expect(await on.run('sync', { account: 'other', createAccount: true })).toMatchObject({ exit: 0 })
    paused.release()
    expect(await first).toMatchObject({ exit: 0 })
    const [row] = await on.query('select count(distinct account_id) from headcount.responses')
    expect(row).toEqual(['2'])
  })

  test.each([
    ['before its first batch', '/events/gala/responses'],
    ['before its last batch', '/events/picnic/responses'],
  ])('D9 taken over while it is frozen %s: it writes nothing more', async (_, path) => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    on.account.of('gala').push(...responsesFrom(4, 1))
    on.account.add('late', 0)
    const paused = pause(on, path)
    const first = on.run('sync', { concurrency: 1 })
    await paused.reached
    await on.change(
      `update headcount.sync_runs set heartbeat_at = now() - interval '31 s' where status = 'running'`,
    )
    on.account.remove('late')
    expect(await on.sync()).toMatchObject({ exit: 0 })
    const after = [kept(on), on.mirror.states]
    on.account.of('gala').pop()
    paused.release()
    expect(await first).toMatchObject({ exit: 9, error: { code: 'lease_lost' } })
    await on.look()
    expect([kept(on), on.mirror.states]).toEqual(after)
    expect(await on.query('select status from headcount.sync_runs order by id')).toEqual([
      ['succeeded'],
      ['abandoned'],
      ['succeeded'],
    ])
  })
})

onPostgresStage('D9 a database that is set back to a time before the run began', (stage) => {
  test.each([
    ['the run is not known there', `delete from headcount.sync_runs where status = 'running'`],
    [
      'a run of another machine was given its number again',
      `update headcount.sync_runs set holder = jsonb_set(holder, '{token}', '"of another run"') where status = 'running'`,
    ],
  ])('%s: it writes nothing more, and says why', async (_, statement) => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    on.account.of('gala').push(...responsesFrom(4, 1))
    const paused = pause(on, '/events/gala/responses')
    const first = on.run('sync')
    await paused.reached
    await on.change(statement)
    const runs = await on.query('select id, status from headcount.sync_runs order by id')
    const before = kept(on)
    paused.release()
    const { exit, error, said } = await first
    expect(said).not.toContain('could not be stored')
    expect([exit, error?.message]).toEqual([
      5,
      expect.stringMatching(/^The database has run 2 no longer, .*it was set back to an earlier time/),
    ])
    await on.look()
    expect(kept(on)).toEqual(before)
    expect(await on.query('select id, status from headcount.sync_runs order by id')).toEqual(runs)
    await on.change(`delete from headcount.sync_runs where status = 'running'`)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onBothStages('D9 a run that is marked as abandoned from outside', (stage) => {
  test('before its first batch: exit 9, nothing is written', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    // The address of the account is stored in a transaction of its own, just before the events are read.
    await on.change(
      `create function public.abandon() returns trigger language plpgsql as $$ begin
         update headcount.sync_runs set status = 'abandoned'; return null; end $$`,
      `create trigger abandon after update on headcount.accounts execute function public.abandon()`,
    )
    expect(await on.sync()).toMatchObject({ exit: 9, error: { code: 'lease_lost' } })
    expect(on.mirror.versions).toEqual([])
    expect([...on.mirror.states.keys()]).toEqual([])
  })
})
