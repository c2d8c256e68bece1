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

/** A turn that comes back when it is given. */
function turnOf() {
  const given = Promise.withResolvers<void>()
  const turn = {
    isSuspended: false,
    suspended: 0,
    suspend: () => {
      turn.isSuspended = true
      turn.suspended += 1
    },
    resume: async () => {
      await given.promise
      turn.isSuspended = false
    },
    end: () => {},
    give: given.resolve,
  }
  return turn
}

test('a run gives its turn away for a pause, and asks nothing after it without a turn', async () => {
  const clock = new SimulatedClock()
  const turn = turnOf()
  const gate = new PauseGate(never, { pause: new Pauses(clock).of('one'), clock, turn })
  gate.pauseFor(999)
  expect(turn.isSuspended).toBe(false)
  gate.pauseFor(5000)
  expect(turn.isSuspended).toBe(true)
  let passed = 0
  const waiting = Array.from({ length: 3 }, () => gate.wait().then(() => (passed += 1)))
  await clock.run(clock.sleep(6000, never))
  // Of several requests none is sent without a turn.
  expect([passed, gate.mustWait]).toEqual([0, true])
  turn.give()
  await Promise.all(waiting)
  expect(gate.mustWait).toBe(false)
})

test('one that may not wait so long keeps its turn, and one whose deadline comes waits for none', async () => {
  const clock = new SimulatedClock()
  const pause = new Pauses(clock).of('one')
  const kept = turnOf()
  const hurried = new PauseGate(never, { pause, clock, maxWaitMs: () => 1500, turn: kept })
  hurried.pauseFor(5000)
  await expect(hurried.wait()).rejects.toBeInstanceOf(RequestSkippedError)
  expect(kept.suspended).toBe(0)
  const lifetime = new AbortController()
  const turn = turnOf()
  const late = new PauseGate(lifetime.signal, { pause: new Pauses(clock).of('two'), clock, turn })
  turn.suspend()
  const waiting = late.wait()
  lifetime.abort(new Error('the deadline'))
  await expect(waiting).rejects.toThrow('the deadline')
})
