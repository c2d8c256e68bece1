import { expect, test } from 'vitest'
import { trackHeartbeatAge } from '../../../src/db/lease/heartbeat.ts'

const day = -86_400

test('a beat of the past is as old as the database says', () => {
  const silenceOf = trackHeartbeatAge(() => 0)
  expect([0, 14.9, 31].map((silence) => silenceOf({ beat: 'a', silence }))).toEqual([0, 14.9, 31])
})

test('O6 a beat of the future is as old as it was seen; another one begins anew', () => {
  let now = 5000
  const silenceOf = trackHeartbeatAge(() => now)
  const seen = (beat: string, at: number) => {
    now = at
    return silenceOf({ beat, silence: day })
  }
  expect([seen('a', 5000), seen('a', 6000), seen('a', 36_000)]).toEqual([0, 1, 31])
  expect([seen('b', 37_000), seen('b', 38_000)]).toEqual([0, 1])
})
