import { expect, test } from 'vitest'
import { accountOf, refusal, responsesFrom } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

const HOUR = 3600
const longAgo = { event_at: '2024-01-01T00:00:00Z' }

/** An account whose event `gala` is over, and has been for long. */
function accountWithOldGala(others: Readonly<Record<string, number>> = {}): Account {
  const account = accountOf(others)
  account.add('gala', 3, longAgo)
  return account
}

/** As if an older event had waited as long as it should. */
async function waitIsOver({ change }: Stage): Promise<void> {
  await change(
    `update headcount.sync_state set next_check_at = now() - interval '1 s' where next_check_at is not null`,
  )
}

function waitOfGala({ mirror }: Stage): number | null | undefined {
  return mirror.states.get('gala')?.wait
}

/** Events whose responses were asked for by this work, by name. */
async function asked({ service }: Stage, work: () => Promise<unknown>): Promise<string[]> {
  const seen = service.requests.length
  await work()
  const paths = service.requests.slice(seen).map(({ path }) => path)
  return paths.flatMap((path) => /events\/(.*)\/responses/.exec(path)?.[1] ?? []).toSorted()
}

onPostgresStage('due events', (stage) => {
  test('an older event waits 1 h, 2 h, 4 h while nothing changes, 1 h again after a change', async () => {
    await using on = await stage(accountWithOldGala({ picnic: 2 }))
    expect(await asked(on, on.sync)).toEqual(['gala', 'picnic'])
    expect(waitOfGala(on)).toBe(HOUR)
    expect(await asked(on, on.sync)).toEqual(['picnic'])
    for (const hours of [2, 4]) {
      await waitIsOver(on)
      expect(await asked(on, on.sync)).toEqual(['gala', 'picnic'])
      expect(waitOfGala(on)).toBe(hours * HOUR)
    }
    await waitIsOver(on)
    on.account.of('gala').pop()
    await on.sync()
    expect(waitOfGala(on)).toBe(HOUR)
    on.expectMirrored()
  })

  test('--event reads and writes only the named events, and removes none', async () => {
    await using on = await stage(accountWithOldGala({ picnic: 2, ball: 1 }))
    await on.sync()
    on.account.of('gala').push(...responsesFrom(4, 2))
    on.account.of('picnic').pop()
    on.account.remove('ball')
    on.account.add('new', 1)
    const before = [on.mirror.rows('events'), on.mirror.states.get('')]
    expect(await asked(on, () => on.sync({ events: ['gala'] }))).toEqual(['gala'])
    expect(on.mirror.rows('responses')).toHaveLength(3 + 2 + 2 + 1)
    expect([on.mirror.rows('events'), on.mirror.states.get('')]).toEqual(before)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { events: { due: 2 } } })
    on.expectMirrored()
  })

  test('--all reads every event and trusts digests; backfill reads every event and trusts nothing', async () => {
    await using on = await stage(accountWithOldGala({ picnic: 2 }))
    await on.sync()
    await on.change(`update headcount.responses set name = 'by hand' where event_id = 'gala'`)
    expect(await asked(on, on.sync)).toEqual(['picnic'])
    expect(await asked(on, () => on.sync({ all: true }))).toEqual(['gala', 'picnic'])
    expect(on.mirror.rows('responses').join()).toContain('by hand')
    expect(await on.backfill()).toMatchObject({
      exit: 0,
      report: { mode: 'backfill', rows: { responses: { updated: 3 } } },
    })
    on.expectMirrored()
  })
})

onPostgresStage('due events, more', (stage) => {
  test('--event with an id that is not listed is exit 2, and nothing is written, no run either', async () => {
    const account = accountOf({ picnic: 2 })
    account.add('gala', 1, { title: 'Spring Gala' })
    await using on = await stage(account)
    await on.sync()
    const runs = () => on.query('select id, status from headcount.sync_runs order by id')
    const before = await runs()
    on.account.of('picnic').pop()
    const { exit, error } = await on.sync({ events: ['picnic', 'galla', 'spring gala', 'other'] })
    expect(exit).toBe(2)
    expect(error?.message).toContain(
      'The service lists no event "galla" (did you mean gala?), "spring gala" (did you mean gala, which has that title?), "other".',
    )
    expect(on.mirror.rows('responses')).toHaveLength(3)
    expect(await runs()).toEqual(before)
    expect(await on.sync({ events: ['picnic'] })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('--event of an event that is rejected or fails leaves the rest as it was', async () => {
    await using on = await stage(accountOf({ picnic: 2, gala: 2 }))
    await on.sync()
    on.service.at('/events/picnic/responses', send(refusal(404)))
    expect(await on.sync({ events: ['picnic'] })).toMatchObject({
      exit: 6,
      report: { events: { failed: 1 } },
    })
    expect(on.mirror.rows('events')).toHaveLength(2)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('an older event whose own record changed is due', async () => {
    await using on = await stage(accountWithOldGala())
    await on.sync()
    expect(await asked(on, on.sync)).toEqual([])
    Object.assign(on.account.events[0] ?? {}, { title: 'A new title' })
    expect(await asked(on, on.sync)).toEqual(['gala'])
    expect(waitOfGala(on)).toBe(HOUR)
    on.expectMirrored()
  })

  test('an event is active until 30 days after it took place', async () => {
    const daysAgo = (days: number) => ({ event_at: new Date(Date.now() - days * 86_400_000).toISOString() })
    const account = accountOf({ undated: 1 })
    account.add('recent', 1, daysAgo(29.9))
    account.add('over', 1, daysAgo(30.1))
    account.add('coming', 1, daysAgo(-400))
    await using on = await stage(account)
    await on.sync()
    expect(await asked(on, on.sync)).toEqual(['coming', 'recent', 'undated'])
    expect([...on.mirror.states].flatMap(([id, { wait }]) => (wait === null ? [] : id))).toEqual(['over'])
  })

  test('an active event that becomes an older one starts to wait', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    await on.sync()
    Object.assign(on.account.events[0] ?? {}, longAgo)
    expect(await asked(on, on.sync)).toEqual(['gala'])
    expect(await asked(on, on.sync)).toEqual([])
  })

  test('the staleness cap bounds the wait, also one that began under a larger cap', async () => {
    await using on = await stage(accountWithOldGala())
    const cap = { maxStalenessMs: 600_000 }
    await on.sync(cap)
    expect(waitOfGala(on)).toBe(600)
    await on.change(
      `update headcount.sync_state set poll_interval_s = 604800, checked_at = now() - interval '11 minutes', next_check_at = now() + interval '7 days' where event_id = 'gala'`,
    )
    expect(await asked(on, on.sync)).toEqual([])
    expect(await asked(on, () => on.sync(cap))).toEqual(['gala'])
    expect(waitOfGala(on)).toBe(600)
  })
})
