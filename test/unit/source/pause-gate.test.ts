import { expect, test } from 'vitest'
import { RequestSkippedError } from '../../../src/common/errors.ts'
import { Pauses } from '../../../src/source/throttle/pause.ts'
import { PauseGate } from '../../../src/source/throttle/pause-gate.ts'
import { SimulatedClock } from '../../throttle/simulated-clock.ts'

const never = new AbortController().signal

test('a pause is waited for by every source of the account, each as long as it may', async () => {
  const clock = new SimulatedClock()
  const pause = new Pauses(clock).of('one')
  pause.extendTo(60_000)
  const patient = new PauseGate(never, { pause, clock, maxWaitMs: () => 900_000 })
  const hurried = new PauseGate(never, { pause, clock, maxWaitMs: () => 59_000 })
  const ends: unknown[] = []
  await clock.run(
    Promise.all([
      patient.wait().then(() => ends.push(['patient', clock.now()])),
      hurried.wait().catch((error: unknown) => ends.push(error)),
    ]),
  )
  expect(ends).toEqual([expect.any(RequestSkippedError), ['patient', 60_000]])
  expect(hurried.signal.aborted).toBe(true)
  expect(patient.signal.aborted).toBe(false)
  // The pause is over for all; the source that could not wait for it stays closed.
  await patient.wait()
  await expect(hurried.wait()).rejects.toBeInstanceOf(RequestSkippedError)
})
