/** A probe: whether the limit that is held still holds. Both bounds are doubled in steps, until one is refused or neither is left. */
import type { Pace, Probe, Start } from './rate-limit-state.ts'

const ANSWERS_A_STEP = 4
const LARGEST_STEP = 25
/** Of the answers that the last probe got. */
const STEP_SHARE = 1 / 4
const ONE_AT_ONCE_RATE = 10
/** Timers count in ms. */
export const FREE_RATE = 1000
/** A slower limit is not believed. */
export const SLOWEST_LIMIT = 0.1

export function beginProbe(pace: Pace, now: number): Pace {
  const { rate, places } = pace
  // At a low rate one at once is enough, and only one is refused.
  const few = rate < ONE_AT_ONCE_RATE ? 1 : places
  const probe = { rate, places, provenPlaces: places, answers: 0, step: 0, waited: 0, isFree: false }
  return faster({ ...pace, places: few, probe, debt: 0 }, probe, now)
}

/** The next step of a probe. */
function faster(pace: Pace, probe: Probe, now: number): Pace {
  const rate = Math.max(pace.rate, SLOWEST_LIMIT) * 2
  const nextStart = Math.min(pace.nextStart, now + intervalOf(rate))
  return { ...pace, rate, nextStart, changedAt: now, probe: { ...probe, step: 0, waited: 0 } }
}

/** An answer during a probe; at the end of each step both bounds are doubled, as far as they hold the requests back. */
export function goOn(pace: Pace, before: Probe, start: Start, now: number): Pace {
  const probe = {
    ...before,
    answers: before.answers + 1,
    step: before.step + 1,
    waited: before.waited + (start.waited ? 1 : 0),
  }
  if (probe.step < stepOf(pace)) return { ...pace, probe }
  const proven = { ...probe, provenPlaces: Math.max(probe.provenPlaces, pace.places) }
  const isHeld = probe.waited > probe.step / 2 && pace.rate < FREE_RATE
  if (isHeld) return faster(pace, proven, now)
  if (pace.places < pace.most) {
    const places = Math.min(pace.most, pace.places * 2)
    return faster({ ...pace, places }, proven, now)
  }
  if (!probe.isFree) return faster({ ...pace, rate: Infinity }, { ...proven, isFree: true }, now)
  return {
    ...pace,
    probe: null,
    rate: Infinity,
    refusedRate: Infinity,
    isConfirmed: false,
    probed: 0,
    steady: 0,
  }
}

function stepOf({ probed, probe }: Pace): number {
  const usual = Math.max(ANSWERS_A_STEP, Math.ceil(probed * STEP_SHARE))
  const step = Math.min(LARGEST_STEP, usual)
  // A service that holds many in store is known only when all of them are used up.
  return probe?.isFree === true ? LARGEST_STEP * 4 : step
}

/** In ms, from starts a second. */
export function intervalOf(rate: number): number {
  return 1000 / rate
}
