import type { EventItem } from '../../common/schema/tables.ts'
import type { ListState } from '../../load/state/sync-state.ts'
import { changedEvents } from '../../load/write/events.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { presentEventFields } from '../../load/diff/live-counts.ts'
import { optionName } from '../../common/options/option-names.ts'
import { droppedField } from '../drift/observations.ts'
import { droppedFields } from '../fetch/list-facts.ts'
import { dueReason } from './polling-schedule.ts'
import { isEventListCurrent, type EventList } from '../fetch/event-list.ts'
import type { RunContext } from '../run-context.ts'
import { rejectedButStored, requireKnownEvents } from './rejected-events.ts'
import { laterClock } from '../deletions/hold-clocks.ts'
import { isDoneInBackfill } from './backfill.ts'
import type { DueEvent } from './selected-event.ts'

/**
 * Chooses the events to read: all of them for `backfill` (but for those that it has read before it was broken off)
 * and for `--all`, the named ones for `--event`, else those that are due.
 *
 * @throws UnknownEventError when a named event is not listed.
 */
export async function selectDueEvents(run: RunContext, list: EventList): Promise<readonly DueEvent[]> {
  const { settings, mirror, mode, stats } = run
  const rejected = await rejectedButStored(run, list)
  const readable = [...list.rows, ...rejected]
  requireKnownEvents(settings.events, list, readable)
  await warnOfDroppedFields(run, list)
  const compared = isEventListCurrent(mode, list) ? [] : list.rows
  const differing = await changedEvents(run.mirror.database.kysely, run.mirror.account.id, compared)
  const isDifferent = (id: string) => differing.added.has(id) || differing.changed.has(id)
  const differs = list.digestMatch === 'renormalised' ? 'renormalised' : 'changed'
  const isRejected = new Set(rejected)
  const candidates: readonly DueEvent[] = readable
    .filter(({ id }) => settings.events === null || settings.events.has(id))
    .map((event) => {
      const state = currentState(run, event)
      const eventRow = isDifferent(event.id) ? differs : 'same'
      return { event, eventRow, isRejected: isRejected.has(event), state, firstReading: null }
    })
  const everything = mode === 'backfill' || settings.all || settings.events !== null
  const { maxStalenessMs } = settings
  const now = mirror.lease.startedAt
  const isDue = ({ event, eventRow, state }: DueEvent) =>
    state?.retention === 'restored' ||
    dueReason(event, state, eventRow !== 'same', NORMALISER_VERSION, maxStalenessMs, now) !== null
  const left = candidates.filter(
    ({ eventRow, state }) => eventRow !== 'same' || !isDoneInBackfill(run.initial.backfill, state),
  )
  const due = left.filter((candidate) => everything || isDue(candidate))
  stats.events.listed = readable.length
  stats.events.due = due.length
  stats.events.skipped = candidates.length - left.length
  logSkipped(run)
  if (run.initial.rulesChanged) {
    const message = `Fields that are left out or pseudonyms have changed: every list is read once (rows are stored ${settings.rules?.text ?? 'with all fields'}).`
    settings.logger.info({}, message)
  }
  return due
}

/** An event that was moved into the future gets its personal data back; rows made by other rules are made anew. */
function currentState(
  { initial: { states, rulesChanged }, deletions: { policy } }: RunContext,
  { id, event_at }: EventItem,
): ListState | undefined {
  const state = states.get(id)
  if (state === undefined) return undefined
  const isRestored =
    state.retention === 'forgotten'
      ? event_at !== null && Date.parse(event_at) > laterClock(policy)
      : rulesChanged
  return isRestored ? { ...state, retention: 'restored' } : state
}

function logSkipped({ initial: { backfill }, stats, settings }: RunContext): void {
  if (!backfill || backfill.resumedFrom === null) return
  settings.logger.info(
    { backfill_id: Number(backfill.id), skipped: stats.events.skipped },
    `continuing the backfill that began at ${backfill.resumedFrom}: ${stats.events.skipped} of ${stats.events.listed} events ` +
      `were read then and are not read again; ${optionName('restart')} reads them all`,
  )
}

async function warnOfDroppedFields(run: RunContext, list: EventList): Promise<void> {
  if (list.digestMatch === 'same') return
  const live = await presentEventFields(run.mirror.database.kysely, run.mirror.account.id)
  for (const field of droppedFields(list, live)) {
    run.pending.observations.note(droppedField('event', field))
    run.stats.warn(`The event list: no event has "${field}" any more; its column is now empty.`)
  }
}
