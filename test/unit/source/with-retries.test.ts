import { expect, test } from 'vitest'
import { RetryLaterError } from '../../../src/common/errors.ts'
import { Semaphore } from '../../../src/common/semaphore.ts'
import { noRequests } from '../../../src/source/http/send-request.ts'
import { TransientStatusError } from '../../../src/source/http/status.ts'
import { withRetries } from '../../../src/source/retry/with-retries.ts'
import { PauseGate } from '../../../src/source/throttle/pause-gate.ts'
import { Pauses } from '../../../src/source/throttle/pause.ts'
import { Throttle } from '../../../src/source/throttle/throttle.ts'
import { SimulatedClock } from '../../throttle/simulated-clock.ts'

const hour = 3_600_000

const options = { queueState: 'unqueued', pagesRead: 0, onFailure: () => {} } as const

const rejection = (retryAfter: string) =>
  new TransientStatusError('GET /ping was answered with 429', 429, { 'retry-after': retryAfter })

/** A run that began so long ago, in simulated time. */
function beginRun(ageMs: number) {
  const clock = new SimulatedClock()
  const { signal } = new AbortController()
  const pauses = new Pauses(clock)
  const pause = pauses.of('one')
  const log = () => {}
  const throttle = new Throttle({ permits: new Semaphore(8), pauses, requestTimeoutMs: 60_000, clock, log })
  const context = {
    pauseGate: new PauseGate(signal, { pause, clock, maxWaitMs: () => 900_000 }),
    clock,
    throttle,
    random: () => 0.5,
    log,
    lifetime: { signal, remainingMs: () => null, ageMs: () => ageMs, [Symbol.dispose]: () => {} },
    counts: noRequests(),
  }
  return { clock, signal, pause, context, [Symbol.dispose]: () => throttle[Symbol.dispose]() }
}

test('a pause of many years is tested again after an hour, by the next run', async () => {
  using run = beginRun(0)
  const attempt = () => Promise.reject(rejection('999999999'))
  const ended = withRetries(run.context, attempt, options).catch((error: unknown) => error)
  expect(await ended).toBeInstanceOf(RetryLaterError)
  expect(run.pause.leftMs).toBe(hour)
})

/** A host whose last answer, an hour ago, was a rejection, and a run that began so long ago. */
async function askedAfter(ageMs: number): Promise<unknown> {
  using run = beginRun(ageMs)
  const { clock, context, signal } = run
  const rejected = rejection('2')
  const begun = await context.throttle.waitForStart(context.pauseGate)
  context.throttle.onEnd(begun, rejected, 'unqueued')
  await clock.run(clock.sleep(hour, signal))
  let attempts = 0
  const attempt = async () => {
    if ((attempts += 1) === 1) throw rejected
    return 'answered'
  }
  return clock.run(withRetries(context, attempt, options).catch((error: unknown) => error))
}

test('a rejection before the run began is not one of this run', async () => {
  expect(await askedAfter(1000)).toBe('answered')
  expect(await askedAfter(hour)).toBeInstanceOf(RetryLaterError)
})
