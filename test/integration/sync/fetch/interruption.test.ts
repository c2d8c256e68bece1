import { expect, test } from 'vitest'
import { InterruptedError } from '../../../../src/common/errors.ts'
import { accountOf, responsesFrom } from '../../../support/accounts/account.ts'
import { silence } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage, pause } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** Container engines kill after 10 s. */
const LONGEST_END_MS = 8000

/** Aborts when the service is asked for this; the run after it goes on with the rest. */
async function expectInterrupted(on: Stage, path: string): Promise<void> {
  await on.sync()
  for (const id of ['gala', 'picnic', 'tea']) on.account.of(id).push(...responsesFrom(10, 2))
  const abort = new AbortController()
  const paused = pause(on, path)
  const run = on.run('sync', { signal: abort.signal, concurrency: 1 })
  await paused.reached
  const aborted = performance.now()
  abort.abort()
  const { exit, status, error, report } = await run
  expect({ exit, status, code: error?.code }).toEqual({
    exit: 143,
    status: 'interrupted',
    code: 'interrupted',
  })
  expect(performance.now() - aborted).toBeLessThan(LONGEST_END_MS)
  expect(report.errors.at(-1)).toMatchObject({ event_id: null, code: 'interrupted' })
  await on.look()
  expect(on.mirror.lastRun?.status).toBe('interrupted')
  paused.release()
  expect(await on.sync()).toMatchObject({ exit: 0 })
  on.expectMirrored()
}

const three = { gala: 3, picnic: 2, tea: 2 }

onBothStages('O2 an abort', (stage) => {
  test('while responses are read: interrupted, each event wholly old or new, and the next run goes on', async () => {
    await using on = await stage(accountOf(three))
    await expectInterrupted(on, '/events/picnic/responses')
  })
})

onPostgresStage('O2 an abort, more', (stage) => {
  test.each(['/ping', '/events'])('while %s is read: interrupted, and the next run goes on', async (path) => {
    await using on = await stage(accountOf(three))
    await expectInterrupted(on, path)
  })

  test('before the start: nothing is opened, nothing is written', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const { exit, status } = await on.sync({ signal: AbortSignal.abort() })
    expect({ exit, status }).toEqual({ exit: 143, status: null })
    expect(on.service.requests).toEqual([])
    expect(on.mirror.lastRun).toBeNull()
  })

  test('with a reason of ours: thrown as it is', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const abort = new AbortController()
    const paused = pause(on, '/events')
    const run = on.run('sync', { signal: abort.signal })
    await paused.reached
    const reason = new InterruptedError('Ctrl-C', 130)
    abort.abort(reason)
    const ended = await run
    expect(ended).toMatchObject({ exit: 130, status: 'interrupted' })
    expect(ended.error).toBe(reason)
    paused.release()
    await on.look()
  })

  test('in the middle of a batch: the batch is finished, and nothing more is begun', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.change(
      `create function public.linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$`,
      `create trigger linger after insert on headcount.responses execute function public.linger()`,
    )
    const abort = new AbortController()
    const run = on.run('sync', {
      signal: abort.signal,
      onProgress: ({ events }) => {
        if (events.done === 2) setTimeout(() => abort.abort(), 100)
      },
    })
    const { exit, status, ms } = await run
    expect({ exit, status }).toEqual({ exit: 143, status: 'interrupted' })
    expect(ms).toBeLessThan(LONGEST_END_MS)
    await on.look()
    expect(on.mirror.rows('responses')).toHaveLength(5)
    expect(on.mirror.states.has('')).toBe(false)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('while requests wait to be sent again: ends at once', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    const abort = new AbortController()
    on.service.at('/events', (socket) => {
      socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n')
      setTimeout(() => abort.abort(), 50)
    })
    const { exit, status, ms } = await on.sync({ signal: abort.signal })
    expect({ exit, status }).toEqual({ exit: 143, status: 'interrupted' })
    expect(ms).toBeLessThan(LONGEST_END_MS)
  })
})

onPostgresStage('the deadline of a run', (stage) => {
  test('passes while responses are read: partial, what was read is stored, the rest is due next run', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    const { ms } = await on.sync()
    for (const id of ['gala', 'picnic']) on.account.of(id).push(...responsesFrom(10, 1))
    on.service.at('/events/picnic/responses', silence)
    // More than a run takes on this machine now.
    const { exit, status, error, report } = await on.sync({ runTimeoutMs: 1000 + 3 * ms, concurrency: 1 })
    expect({ exit, status, error }).toEqual({ exit: 6, status: 'partial', error: null })
    expect(report.errors).toMatchObject([{ event_id: null, code: 'run_deadline' }])
    expect(report.events).toMatchObject({ due: 2, changed: 1 })
    expect(on.mirror.rows('responses')).toHaveLength(6)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('the deadline of a run, more', (stage) => {
  test('passes before the events are listed: exit 4, and everything is kept', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    on.account.remove('gala')
    on.service.at('/events', silence)
    expect(await on.sync({ runTimeoutMs: 500 })).toMatchObject({
      exit: 4,
      status: 'failed',
      error: { code: 'run_deadline' },
    })
    expect(on.mirror.rows('responses')).toHaveLength(3)
  })

  test('H8 a pause that the service asks for and that is longer than what is left ends the run at once', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    on.service.at('/events/picnic/responses', (socket) => {
      socket.write('HTTP/1.1 429 Slow\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n')
    })
    const { exit, report, ms } = await on.sync({ runTimeoutMs: 20_000, concurrency: 1 })
    expect({ exit, code: report.errors[0]?.code }).toEqual({ exit: 6, code: 'paused_by_service' })
    expect(ms).toBeLessThan(LONGEST_END_MS)
    expect(on.mirror.rows('responses')).toHaveLength(3)
  })
})
