import { expect, test } from 'vitest'
import { accountOf, refusal, responsesFrom } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { onPostgresCommandStage } from '../../../support/commands/command-stage.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import { failureOn, verifyOn } from '../../../support/runs/verify.ts'

const tooDeep: unknown = Array.from({ length: 80 }).reduce((deep) => [deep], 1)

/** The record of an event gets a new title, and a field with which it cannot be stored. */
function spoil(account: Account, id: string): void {
  const event = account.events.find((listed) => Object(listed).id === id)
  Object.assign(event ?? {}, { title: 'A new title', deep: tooDeep })
}

onPostgresStage('an event whose record is rejected', (stage) => {
  test('keeps its record, and its responses are read and removed like any other’s', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 3 }))
    await on.sync()
    const record = on.mirror.rows('events')
    spoil(on.account, 'picnic')
    on.account.of('picnic').splice(0, 1, ...responsesFrom(4, 2))
    expect(await on.sync()).toMatchObject({
      exit: 8,
      report: {
        rejected: 1,
        events: { listed: 2, due: 2, changed: 1 },
        rows: { events: { updated: 0 }, responses: { inserted: 2, deleted: 1 } },
      },
    })
    expect(on.mirror.rows('events')).toEqual(record)
    expect(await on.backfill()).toMatchObject({ exit: 8, report: { events: { due: 2, unchanged: 2 } } })
    expect(on.mirror.rows('events')).toEqual(record)
  })

  test('keeps the run from `succeeded` when its responses cannot be read', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 2 }))
    await on.sync()
    spoil(on.account, 'picnic')
    on.service.at('/events/picnic/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { errors: [{ event_id: 'picnic' }] } })
  })

  test('has its responses compared by verify', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 3 }))
    await on.sync()
    spoil(on.account, 'picnic')
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({ lists_compared: 2, differences_total: 0, rejected: 1 })
    await on.change(`update headcount.responses set name = 'by hand' where event_id = 'picnic' and id = 2`)
    expect(await verifyOn(on)).toMatchObject({ differences: [{ event_id: 'picnic', response_id: '2' }] })
    on.account.of('picnic').push(...responsesFrom(4, 2))
    expect(await verifyOn(on)).toMatchObject({ lists_changed: ['picnic'] })
  })

  test('and that was never stored is left out, and named as what it is', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 3 }))
    spoil(on.account, 'picnic')
    expect(await on.sync()).toMatchObject({ exit: 8, report: { events: { listed: 1, due: 1 } } })
    expect(on.service.requests.filter(({ path }) => path.includes('/picnic/'))).toEqual([])
    const { exit, error } = await on.sync({ events: ['picnic', 'ball'] })
    expect(exit).toBe(2)
    expect(error?.message).toMatch(
      /^The service lists no event "ball"\. Listed, but the listed item is rejected/,
    )
    expect((await failureOn(on, { events: ['picnic'] })).message).toMatch(
      /^Listed, but .* "picnic".*headcount rejects/,
    )
  })
})

onPostgresCommandStage('an event whose record is rejected and accepted', (stage) => {
  test('is mirrored but for its record, and told as such', async () => {
    const account = accountOf({ gala: 1, picnic: 3 })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    spoil(account, 'picnic')
    account.add('ball', 2)
    spoil(account, 'ball')
    expect((await s.run(['sync', '-q'])).code).toBe(8)
    for (const { sha256 } of rejectsIn((await s.run(['rejects', '--json'])).stdout))
      await s.run(['rejects', 'accept', sha256])

    account.of('picnic').push(...responsesFrom(4, 2))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect((await s.run(['verify', '-q'])).code).toBe(0)
    const count = await s.run(['query', `select count(*) from responses where event_id = 'picnic'`, '--json'])
    expect(JSON.parse(count.stdout)).toMatchObject({ rows: [{ count: '5' }] })
    expect((await s.run(['sync', '--event', 'picnic', '-q'])).code).toBe(0)
    expect((await s.run(['status', '--event', 'picnic'])).stdout).toMatch(/its record +listed, but rejected/)
    expect((await s.run(['status', '--event', 'gala'])).stdout).not.toMatch(/its record/)
    expect(await s.run(['status', '--event', 'ball'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /account default: event "ball" is listed, but the listed item is rejected/,
      ) as string,
    })
  })

  test('I1 in one account, and unknown or mirrored in another: each is told of its own', async () => {
    const account = accountOf({ gala: 1 })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    account.events = []
    account.add('ball', 2)
    account.add('gala', 1)
    spoil(account, 'ball')
    spoil(account, 'gala')
    await s.run(['sync', '-q', '--account', 'choir', '--new-account'])

    const look = (...args: readonly string[]) => s.run(['status', '--event', ...args])
    const rejected = (id: string) =>
      expect.stringContaining(
        `account choir: event "${id}" is listed, but the listed item is rejected`,
      ) as string
    const unknown = expect.stringContaining('no event "ball"') as string
    expect(await look('ball', '--account', 'default')).toMatchObject({ code: 2, stderr: unknown })
    expect(await look('ball', '--account', 'choir')).toMatchObject({ code: 2, stderr: rejected('ball') })
    expect(await look('ball')).toMatchObject({ code: 2, stderr: rejected('ball') })
    expect(await look('gala', '--account', 'default')).toMatchObject({ code: 0, stderr: '' })
    expect(await look('gala')).toMatchObject({ code: 0, stderr: rejected('gala') })
    expect(await look('gala', '--account', 'choir')).toMatchObject({ code: 2, stderr: rejected('gala') })
  })
})

function rejectsIn(json: string): readonly { readonly sha256: string }[] {
  return (JSON.parse(json) as { rejects: readonly { sha256: string }[] }).rejects
}
