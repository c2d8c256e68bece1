import { expect, onTestFinished, test, vi } from 'vitest'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'
import { verifyOn } from '../../../support/runs/verify.ts'

/** An account of twelve events with one response each. */
function twelveEvents(): Account {
  return accountOf({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1 })
}

onPostgresStage('events that are forbidden for good', (stage) => {
  const forbidden = ['b', 'd', 'e', 'f', 'h']

  /** An account of twelve events, five of which are always refused. */
  async function withForbidden(): Promise<Stage> {
    const on = await stage(twelveEvents())
    const answer = on.account.answer.bind(on.account)
    const isForbidden = (path: string) => forbidden.some((id) => path === `/api/v1/events/${id}/responses`)
    on.service.always(
      send((request) => (isForbidden(request.path) ? refusal(403)(request) : answer(request))),
    )
    return on
  }

  test('H2 are no refusal of the key: from the next run on the others are mirrored', async () => {
    await using on = await withForbidden()
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 3 })
    for (const added of [1, 2]) {
      on.account.of('l').push(responseItem(100 + added))
      const { exit, report } = await on.sync({ concurrency: 1 })
      expect({ exit, failed: report.errors.map(({ event_id }) => event_id) }).toEqual({
        exit: 6,
        failed: forbidden,
      })
      expect(on.mirror.rows('responses')).toHaveLength(7 + added)
    }
  })

  test('H2 three more that are refused anew end the run all the same', async () => {
    await using on = await withForbidden()
    await on.sync({ concurrency: 1 })
    for (const id of ['g', 'i']) on.service.at(`/events/${id}/responses`, send(refusal(403)))
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 3, status: 'failed' })
  })

  test('H2 leave verify to compare the others', async () => {
    await using on = await withForbidden()
    await on.sync({ concurrency: 1 })
    await on.sync({ concurrency: 1 })
    expect(await verifyOn(on, { concurrency: 1 })).toMatchObject({ lists_compared: 7, differences_total: 0 })
  })
})

onPostgresStage('lists without a temporary file', (stage) => {
  test('fail as any event does (6); the event list ends the run (5)', async () => {
    await using on = await stage(accountOf({ a: 1, b: 100 }))
    vi.stubEnv('TMPDIR', '/nowhere/at-all')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { exit, report } = await on.sync({ inMemoryBytes: 2000 })
    expect({ exit, errors: report.errors }).toMatchObject({
      exit: 6,
      errors: [{ event_id: 'b', code: 'temporary_file' }],
    })
    expect(on.mirror.rows('responses')).toHaveLength(1)
    expect(await verifyOn(on, { inMemoryBytes: 2000 })).toMatchObject({ lists_compared: 1 })
    expect(await on.sync({ inMemoryBytes: 10 })).toMatchObject({ exit: 5, error: { code: 'temporary_file' } })
  })
})

onPostgresStage('new events that failed in a run that ended early', (stage) => {
  test('leave no state when the event list is again the one that is stored', async () => {
    await using on = await stage(accountOf({ gala: 1 }))
    expect((await on.sync()).exit).toBe(0)
    const ids = ['a', 'b', 'c']
    for (const id of ids) {
      on.account.add(id, 1)
      on.service.at(`/events/${id}/responses`, send(refusal(403)))
    }
    expect((await on.sync({ concurrency: 1 })).exit).toBe(3)
    expect([...on.mirror.states.keys()].toSorted()).toEqual(['', ...ids, 'gala'])
    for (const id of ids) on.account.remove(id)
    expect((await on.sync()).exit).toBe(0)
    expect([...on.mirror.states.keys()].toSorted()).toEqual(['', 'gala'])
    on.expectMirrored()
  })
})

onPostgresStage('an event for which the service always asks for a long pause', (stage) => {
  test.each([429, 503])(
    'H8 %i: is read last from the next run on, and the others are mirrored',
    async (status) => {
      await using on = await stage(twelveEvents())
      const answer = on.account.answer.bind(on.account)
      on.service.always(
        send((request) =>
          request.path.includes('/a/') ? { status, headers: { 'Retry-After': '3600' } } : answer(request),
        ),
      )
      expect(await on.sync()).toMatchObject({ exit: 6, report: { events: { failed: 1 } } })
      expect(on.mirror.states.get('a')).toMatchObject({ error_code: 'paused_by_service' })
      for (const added of [1, 2]) {
        on.account.of('l').push(responseItem(100 + added))
        const { exit, report } = await on.sync()
        expect({ exit, events: report.events }).toMatchObject({ exit: 6, events: { due: 12, failed: 1 } })
        expect(on.mirror.rows('responses')).toHaveLength(11 + added)
      }
    },
  )

  test('H8 an event that failed otherwise is still read first', async () => {
    await using on = await stage(accountOf({ a: 1, b: 1, c: 1 }))
    on.service.at('/events/c/responses', send(refusal(400)))
    await on.sync()
    on.service.at('/events/a/responses', send(refusal(429, { 'Retry-After': '3600' })))
    await on.sync({ concurrency: 1 })
    const seen = on.service.requests.length
    on.service.at('/events/c/responses', send(refusal(400)))
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 6 })
    const read = on.service.requests.slice(seen + 2).map(({ path }) => path.split('/').at(-2))
    expect(read).toEqual(['b', 'c', 'a'])
  })
})
