import { HeadcountError } from '../../common/errors.ts'
import { unlistedEvents } from '../../load/diff/orphans.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import { absentEvents, type AbsentEvent } from '../../load/diff/live-counts.ts'
import { fetchEventList } from '../fetch/fetch-events.ts'
import type { EventList } from '../fetch/event-list.ts'
import type { RunContext } from '../run-context.ts'
import { warnUnconfirmed } from '../fetch/second-reading.ts'
import { confirmAbsences, isWorthRereading } from './unconfirmed-absences.ts'

/** The readings of the event list in this run. */
export interface EventListFetches {
  readonly first: EventList
  /** The last one: the first itself when it was read once. */
  readonly last: EventList
  /** Ids that one of them has, but for those that the service did not know when they were asked for. */
  readonly listed: readonly string[]
}

/** What the mirror has and the list lacks. */
export interface AbsentFromList extends EventListFetches {
  /** The guard decides on these. */
  readonly absent: readonly AbsentEvent[]
  /** Ids of events that a second reading decides. */
  readonly unconfirmed: readonly string[]
}

/**
 * Finds the events that the list lacks. One that came in several pages and lacks a few is read once more, if that takes
 * no more than `requests`: what both readings lack is absent. Should that fail, nothing else does.
 */
export async function findAbsentEvents(
  run: RunContext,
  readings: EventListFetches,
  requests: number,
): Promise<AbsentFromList> {
  const { first, last, listed } = readings
  const absent = await findAbsent(run, listed)
  if (last !== first) return { ...readings, absent, unconfirmed: [] }
  const ids = absent.map(({ id }) => id)
  const { confirmed, unconfirmed } = confirmAbsences(ids, first, run.initial.states.get(EVENT_LIST_KEY))
  const isReread = isWorthRereading(unconfirmed.length) && first.pages <= requests
  const second = isReread ? await refetchOrNull(run) : null
  if (second === null) {
    const isConfirmed = new Set(confirmed)
    return { ...readings, absent: absent.filter(({ id }) => isConfirmed.has(id)), unconfirmed }
  }
  const present = new Set(second.ids)
  return {
    first,
    last: second,
    listed: [...new Set([...listed, ...second.ids])],
    // guard: two readings of the events
    absent: absent.filter(({ id }) => !present.has(id)),
    unconfirmed: [],
  }
}

async function refetchOrNull(run: RunContext): Promise<EventList | null> {
  try {
    return await fetchEventList(run)
  } catch (error) {
    if (!(error instanceof HeadcountError) || run.signal.aborted) throw error
    warnUnconfirmed(run, 'The event list', error)
    return null
  }
}

/** Events of the mirror that are not listed; a backfill also finds rows without an event. */
async function findAbsent(
  { mirror: { database, account }, mode }: RunContext,
  listed: readonly string[],
): Promise<readonly AbsentEvent[]> {
  const absent = await absentEvents(database.kysely, account.id, listed)
  if (mode !== 'backfill') return absent
  const known = [...listed, ...absent.map(({ id }) => id)]
  return [...absent, ...(await unlistedEvents(database.kysely, account.id, known))]
}
