/** How often a run that changes nothing waits for Postgres: each round trip takes 30 to 80 ms where it is hosted elsewhere. */
import { expect, test } from 'vitest'
import { accountOf } from '../../support/accounts/account.ts'
import { startCountingProxy } from '../../support/databases/database-proxy.ts'
import { startStage } from '../../support/runs/stage.ts'

test.each([
  ['with nothing due', false],
  ['that reads every list', true],
])(
  'a run %s waits for Postgres 9 times before its first request and 6 times after its last',
  async (_, all) => {
    const account = accountOf({})
    account.add('gala', 3, { event_at: '2020-05-01T18:00:00Z' })
    await using stage = await startStage('postgres', account, { isOwn: true })
    await stage.sync()
    await using proxy = await startCountingProxy(stage.url)
    const { report } = await stage.run('sync', { database: proxy.url, all })
    expect(report).toMatchObject({ status: 'succeeded', events: { due: all ? 1 : 0, changed: 0 } })

    const opened = proxy.trips.findIndex((trip) => trip.includes('"headcount"."sync_state"'))
    const ending = proxy.trips.findIndex((trip) => trip.includes('for key share'))
    const list = proxy.trips.map((trip, place) => `${place + 1}. ${trip.slice(0, 160)}`).join('\n')
    // Three of them log in.
    expect(opened, list).toBe(9)
    // What is read meanwhile: the states of the lists, and what was observed.
    expect(ending - opened, list).toBe(2)
    expect(proxy.trips.length - ending, list).toBe(6)
  },
)
