import type { EventItem } from '../../common/schema/tables.ts'
import { differingEvents } from '../../load/write/events.ts'
import type { ListState } from '../../load/state/sync-state.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { surveyEvents } from '../../load/diff/live-counts.ts'
import { optionName } from '../../common/option-names.ts'
import { goneFields } from '../fetch/list-facts.ts'
import { dueReason } from './polling-schedule.ts'
import type { EventsList } from '../fetch/fetch-events.ts'
import type { OpenRun } from '../open/run-context.ts'
import { liveRejected, requireListed } from './rejected-events.ts'
import { isReadBy } from './backfill.ts'
import { isVouched } from '../fetch/event-list-digest.ts'

/** An event whose responses are to be read. */
export interface DueEvent {
  readonly event: EventItem
  /** The event's own record beside the mirror's; `rewritten`: only our own version reads it differently. */
  readonly record: 'same' | 'changed' | 'rewritten'
  /** The record as listed cannot be stored: `event` is the mirror's own, and is not written. */
  readonly isRejected: boolean
  readonly state: ListState | undefined
  /** Null unless this run has read the list before, and reads it once more (reread.ts). */
  readonly firstReading: FirstReading | null
}

/** What the first reading of a list has done that is read twice in a run. */
export interface FirstReading {
  /** Whether it changed anything. */
  readonly changed: boolean
  /** Responses that it removed: in a dry run they are live still. */
  readonly removed: readonly string[]
}

/**
 * Chooses the events to read: all of them for `backfill` (but for those that it has read before it was broken off)
 * and for `--all`, the named ones for `--event`, else those that are due.
 *
 * @throws UsageError when a named event is not listed.
 */
export async function chooseDue(run: OpenRun, list: EventsList): Promise<readonly DueEvent[]> {
  const { settings, lease, mode, tally } = run
  const rejected = await liveRejected(run, list)
  const readable = [...list.rows, ...rejected]
  requireListed(settings.events, list, readable)
  await warnOfGoneFields(run, list)
  const compared = isVouched(run, list) ? [] : list.rows
  const differing = await differingEvents(run.database.kysely, run.account.id, compared)
  const isDifferent = (id: string) => differing.added.has(id) || differing.changed.has(id)
  const differs = list.verdict === 'same_body' ? 'rewritten' : 'changed'
  const isRejected = new Set(rejected)
  const candidates: readonly DueEvent[] = readable
    .filter(({ id }) => settings.events === null || settings.events.has(id))
    .map((event) => {
      const state = run.states.get(event.id)
      const record = isDifferent(event.id) ? differs : 'same'
      return { event, record, isRejected: isRejected.has(event), state, firstReading: null }
    })
  const everything = mode === 'backfill' || settings.all || settings.events !== null
  const isDue = ({ event, record, state }: DueEvent) =>
    dueReason(
      event,
      state,
      record !== 'same',
      NORMALISER_VERSION,
      settings.maxStalenessMs,
      lease.startedAt,
    ) !== null
  const left = candidates.filter(({ record, state }) => record !== 'same' || !isReadBy(run.backfill, state))
  const due = left.filter((candidate) => everything || isDue(candidate))
  tally.listed = readable.length
  tally.due = due.length
  tally.skipped = candidates.length - left.length
  tellWhatIsSkipped(run)
  return due
}

function tellWhatIsSkipped({ backfill, tally, settings }: OpenRun): void {
  if (!backfill || backfill.continuesFrom === null) return
  settings.logger.info(
    { backfill_id: Number(backfill.id), skipped: tally.skipped },
    `continuing the backfill that began at ${backfill.continuesFrom}: ${tally.skipped} of ${tally.listed} events ` +
      `were read then and are not read again; ${optionName('restart')} reads them all`,
  )
}

async function warnOfGoneFields(run: OpenRun, list: EventsList): Promise<void> {
  if (list.verdict === 'same') return
  for (const field of goneFields(list, await surveyEvents(run.database.kysely, run.account.id))) {
    run.observations.addGone('event', field)
    run.tally.warn(`List of events: no event has "${field}" any more; its column is now empty.`)
  }
}
