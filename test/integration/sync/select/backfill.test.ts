/** A backfill that was broken off is continued by the next one. */
import { expect, test } from 'vitest'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import { send, startFaultServer } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage, pause } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

const threeEvents = () => accountOf({ ball: 5, gala: 3, picnic: 2 })

/** Events whose responses a run asked for. */
async function asked({ service }: Stage, work: () => Promise<unknown>): Promise<string[]> {
  const seen = service.requests.length
  await work()
  const paths = service.requests.slice(seen).map(({ path }) => path)
  const ids = paths.flatMap((path) => /events\/(.*)\/responses/.exec(path)?.[1] ?? [])
  return [...new Set(ids)].toSorted()
}

/** A backfill that is ended when `ball` is stored and `gala` is asked for. */
async function breakOff(on: Stage): Promise<void> {
  const paused = pause(on, '/events/gala/responses')
  const abort = new AbortController()
  // Each event is a batch of its own, which is stored while the next one is read.
  const run = on.run('backfill', { signal: abort.signal, concurrency: 1, batchRows: 1 })
  await paused.reached
  await expect
    .poll(() => on.query(`select digest is not null from headcount.sync_state where event_id = 'ball'`), {
      timeout: 20_000,
    })
    .toEqual([[true]])
  abort.abort()
  expect(await run).toMatchObject({ exit: 143 })
  paused.release()
  await on.look()
  expect(on.mirror.states.get('ball')?.digest).toEqual(expect.any(String))
}

onBothStages('O10 a backfill that was broken off', (stage) => {
  test('is continued: what it has read is not read again, and the progress says so', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    const skipped = new Set<number>()
    const onProgress = ({ events }: { events: { skipped: number } }) => skipped.add(events.skipped)
    expect(await asked(on, () => on.backfill({ onProgress }))).toEqual(['gala', 'picnic'])
    expect([...skipped].at(-1)).toBe(1)
    expect(on.mirror.lastRun?.status).toBe('succeeded')
    on.expectMirrored()
    expect(await asked(on, on.backfill)).toEqual(['ball', 'gala', 'picnic'])
  })

  test('D23 cannot be joined, for the database refuses it: no run is left, and the next one continues it at once', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    await on.change(
      `create function public.stop() returns trigger language plpgsql as $$ begin raise 'stopped here'; end $$`,
      `create trigger stop before update of backfill_id on headcount.sync_runs
          for each row execute function public.stop()`,
    )
    const refused = await on.backfill()
    expect(refused).toMatchObject({ exit: 5, error: { code: 'database' } })
    expect(refused.said).toContain('stopped here')
    await on.change('drop trigger stop on headcount.sync_runs')
    expect(await asked(on, on.backfill)).toEqual(['gala', 'picnic'])
    expect(on.mirror.lastRun?.status).toBe('succeeded')
    on.expectMirrored()
  })
})

onPostgresStage('O10 a backfill that was broken off, more', (stage) => {
  test('begins anew with --restart, and that one is then continued', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    expect(await asked(on, () => on.backfill({ restart: true }))).toEqual(['ball', 'gala', 'picnic'])
    on.expectMirrored()
  })

  test('begins anew after 24 hours, counted from its beginning', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    await on.change(`update headcount.sync_runs set started_at = started_at - interval '23 hours 59 minutes'`)
    await breakOff(on)
    await on.change(`update headcount.sync_runs set started_at = started_at - interval '2 minutes'`)
    expect(await asked(on, on.backfill)).toEqual(['ball', 'gala', 'picnic'])
  })

  test('begins anew when it was begun in the future, by a clock that was ahead and was set right', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    await on.change(`update headcount.sync_runs set started_at = started_at + interval '30 days'`)
    await on.change(`update headcount.responses set name = 'by hand'`)
    expect(await asked(on, on.backfill)).toEqual(['ball', 'gala', 'picnic'])
    on.expectMirrored()
  })

  test('reads everything again when another address answers', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    await using moved = await startFaultServer()
    moved.always(send((request) => on.account.answer(request)))
    on.account.of('ball')[0] = responseItem(1)
    expect(await on.backfill({ baseUrl: moved.baseUrl.href })).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('reads again what is held, to decide it', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 2 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    on.service.at('/events/picnic/responses', send(refusal(400)))
    expect(await on.backfill()).toMatchObject({ exit: 6, report: { held: 20 } })
    on.service.at('/events/picnic/responses')
    expect(await on.backfill({ acceptDeletions: true })).toMatchObject({ exit: 0, report: { held: 0 } })
    on.expectMirrored()
  })

  test('reads again what is to be stored without other fields than when it was read', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    const leaveOut = ['responses.email']
    expect(await asked(on, () => on.run('backfill', { leaveOut }))).toEqual(['ball', 'gala', 'picnic'])
    expect(await on.query('select count(email)::int from headcount.responses')).toEqual([[0]])
  })

  test('is continued over several interruptions', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    await breakOff(on)
    expect(await asked(on, on.backfill)).toEqual(['gala', 'picnic'])
    on.expectMirrored()
  })

  test('reads an event again whose own record has changed, and those that are new; the gone ones go', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    on.account.events[0] = { id: 'ball', title: 'The ball, renamed', event_type: 'rsvp' }
    on.account.add('new', 1)
    on.account.remove('picnic')
    expect(await asked(on, on.backfill)).toEqual(['ball', 'gala', 'new'])
    on.expectMirrored()
  })

  test('a sync between the two takes nothing from it, and what failed in it is read again', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    on.service.at('/events/ball/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6 })
    expect(await asked(on, on.backfill)).toEqual(['ball', 'gala', 'picnic'])
    on.expectMirrored()
  })

  test('one that came to its end with failures is continued with them alone', async () => {
    await using on = await stage(threeEvents())
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.backfill()).toMatchObject({ exit: 6, report: { events: { due: 3, failed: 1 } } })
    expect(await asked(on, on.backfill)).toEqual(['gala'])
    on.expectMirrored()
  })

  test('one with --event is no part of it', async () => {
    await using on = await stage(threeEvents())
    await breakOff(on)
    on.account.of('picnic').push(responseItem(9))
    expect(await asked(on, () => on.backfill({ events: ['ball'] }))).toEqual(['ball'])
    expect(await asked(on, on.backfill)).toEqual(['gala', 'picnic'])
    on.expectMirrored()
  })
})
