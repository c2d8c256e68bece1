import type { LivingEvent } from './living-account.ts'

/** What a run of the schedule asked the service for. */
export interface Tick {
  /** Of the simulated time, in milliseconds. */
  readonly now: number
  readonly listed: number
  /** Events whose responses were read, ascending. */
  readonly read: readonly string[]
}

/** Requests of a run: the ping, the event list, and one for each list that it read. */
export function requestsOf({ read }: Tick): number {
  return 2 + read.length
}

/** Requests of a run that would read every event. */
export function requestsForAll({ listed }: Tick): number {
  return 2 + listed
}

/** How often the responses to an event have changed until now. */
export function changesUntil({ changes }: LivingEvent, now: number): number {
  const later = changes.findIndex((change) => change > now)
  return later === -1 ? changes.length : later
}

export function listedAt(events: readonly LivingEvent[], now: number): readonly LivingEvent[] {
  return events.filter(({ listedFrom }) => listedFrom <= now)
}
