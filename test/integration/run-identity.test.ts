import { expect, test } from 'vitest'
import { accountOf } from '../support/account.ts'
import { send, startFaultServer } from '../support/fault-server.ts'
import type { SeenRequest } from '../support/fault-server.ts'
import { onBothStages, onPostgresStage } from '../support/stage.ts'

onBothStages('S10 another account', (stage) => {
  test('with nothing in common: refused, nothing is written; --adopt takes the mirror over, under the guard', async () => {
    await using on = await stage(accountOf({ gala: 30 }))
    await on.sync()
    const before = [on.mirror.rows('accounts'), on.mirror.rows('events'), on.mirror.rows('responses')]
    on.account.email = 'somebody.else@example.org'
    on.account.remove('gala')
    on.account.add('picnic', 2)
    const { exit, error } = await on.sync()
    expect({ exit, code: error?.code }).toEqual({ exit: 2, code: 'account_mismatch' })
    expect(error?.message).toMatch(/owner@example\.org.*somebody\.else@example\.org.*--account.*--adopt/)
    expect([on.mirror.rows('accounts'), on.mirror.rows('events'), on.mirror.rows('responses')]).toEqual(
      before,
    )

    expect(await on.sync({ adopt: true })).toMatchObject({ exit: 8, report: { held: 1 } })
    expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    on.expectMirrored()
    expect(on.mirror.rows('accounts').join()).toContain('somebody.else@example.org')
  })
})

onPostgresStage('S10 the same account under another e-mail or address', (stage) => {
  test('that shares an event id: taken over, with a warning', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    await on.sync()
    on.account.email = 'new@example.org'
    on.account.add('picnic', 1)
    const { exit, report } = await on.sync()
    expect(exit).toBe(0)
    expect(report.warnings).toEqual([expect.stringMatching(/owner@example\.org.*new@example\.org/)])
    expect(await on.sync()).toMatchObject({ exit: 0, report: { warnings: [] } })
    on.expectMirrored()
  })

  test('the same e-mail in other case, or none at all: nothing is said', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    await on.sync()
    for (const [place, email] of ['Owner@Example.ORG', null].entries()) {
      on.account.email = email
      on.account.events = []
      on.account.add(`another ${place}`, 2)
      expect(await on.sync()).toMatchObject({ exit: 0, report: { warnings: [] } })
    }
    on.account.email = 'somebody.else@example.org'
    on.account.events = []
    expect(await on.sync()).toMatchObject({ exit: 2, error: { code: 'account_mismatch' } })
  })

  test('another base address: refused with nothing in common, taken over when an event is shared', async () => {
    await using on = await stage(accountOf({ gala: 2 }))
    await on.sync()
    await using moved = await startFaultServer()
    const gala = on.account.events
    on.account.events = []
    moved.always(send((request) => on.account.answer(request)))
    expect(await on.sync({ baseUrl: moved.baseUrl.href })).toMatchObject({
      exit: 2,
      error: { code: 'account_mismatch' },
    })
    on.account.events = gala
    const { exit, report } = await on.sync({ baseUrl: moved.baseUrl.href })
    expect({ exit, warnings: report.warnings }).toEqual({
      exit: 0,
      warnings: [expect.stringContaining(moved.origin)],
    })
    // A slash at its end makes no other address.
    expect(await on.sync({ baseUrl: `${moved.baseUrl.href}/` })).toMatchObject({
      exit: 0,
      report: { warnings: [] },
    })
  })

  test('lists of before are read again, whatever their validators and their times say', async () => {
    await using on = await stage(accountOf({ gala: 2, old: 2 }))
    Object.assign(Object(on.account.events[1]), { event_at: '2020-01-01T00:00:00Z' })
    const withOneValidator = send((request: SeenRequest) => {
      if (request.headers['if-none-match'] !== undefined) return { status: 304 }
      return { ...on.account.answer(request), headers: { ETag: '"1"' } }
    })
    on.service.always(withOneValidator)
    await on.sync()
    await using moved = await startFaultServer()
    moved.always(withOneValidator)
    for (const id of ['gala', 'old']) on.account.of(id)[0] = { id: 1, name: 'of another account' }
    expect(await on.sync({ baseUrl: moved.baseUrl.href })).toMatchObject({
      exit: 0,
      report: { not_modified: 0, events: { due: 2, changed: 2 } },
    })
    on.expectMirrored()
  })
})
