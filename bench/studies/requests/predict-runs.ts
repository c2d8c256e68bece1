import { NORMALISER_VERSION } from '../../../src/normalise/version.ts'
import { dueReason, nextPollInterval } from '../../../src/sync/select/polling-schedule.ts'
import type { PolledList } from '../../../src/sync/select/polling-schedule.ts'
import type { LivingEvent } from './living-account.ts'
import { changesUntil, listedAt } from './ticks.ts'
import type { Tick } from './ticks.ts'

/** What a mirror knows of an event. */
interface Known extends PolledList {
  readonly step: number | null
  readonly changesSeen: number
}

const LONGEST_STALENESS_MS = 7 * 24 * 3_600_000

/**
 * The runs at some moments by the rule of src/sync/select/polling-schedule.ts alone, each at its moment and over at once. The first
 * one finds an empty mirror. `origin`: the wall clock at the beginning of the simulated time.
 */
export function* foretell(
  events: readonly LivingEvent[],
  moments: Iterable<number>,
  origin: number,
): Generator<Tick> {
  const mirror = new Map<string, Known>()
  const sent = new Map(events.map(({ id, at }) => [id, { event_at: isoOf(origin + at) }]))
  for (const now of moments) {
    const clock = isoOf(origin + now)
    const listed = listedAt(events, now)
    const read: string[] = []
    for (const event of listed) {
      const known = mirror.get(event.id)
      const record = sent.get(event.id) ?? { event_at: null }
      // A new event's record is new too, but that it was never read comes first.
      if (dueReason(record, known, false, NORMALISER_VERSION, LONGEST_STALENESS_MS, clock) === null) continue
      read.push(event.id)
      const changesSeen = changesUntil(event, now)
      const isChanged = known === undefined || changesSeen !== known.changesSeen
      const step = nextPollInterval(record, known?.step ?? null, isChanged, LONGEST_STALENESS_MS, clock)
      mirror.set(event.id, {
        changesSeen,
        step,
        checked_at: clock,
        next_check_at: step === null ? null : isoOf(origin + now + step * 1000),
        error_code: null,
        normaliser_version: NORMALISER_VERSION,
        held_deletions: [],
        unconfirmed_absences: [],
      })
    }
    yield { now, listed: listed.length, read }
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
