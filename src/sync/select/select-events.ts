import { differingEvents } from '../../load/write/events.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { surveyEvents } from '../../load/diff/live-counts.ts'
import { optionName } from '../../common/option-names.ts'
import { goneFields } from '../fetch/list-facts.ts'
import { dueReason } from './polling-schedule.ts'
import type { EventsList } from '../fetch/event-list.ts'
import type { RunContext } from '../run-context.ts'
import { liveRejected, requireListed } from './rejected-events.ts'
import { isReadBy } from './backfill.ts'
import type { DueEvent } from './due-event.ts'
import { isVouched } from '../fetch/event-list-digest.ts'

/**
 * Chooses the events to read: all of them for `backfill` (but for those that it has read before it was broken off)
 * and for `--all`, the named ones for `--event`, else those that are due.
 *
 * @throws UsageError when a named event is not listed.
 */
export async function chooseDue(run: RunContext, list: EventsList): Promise<readonly DueEvent[]> {
  const { settings, mirror, mode, stats } = run
  const rejected = await liveRejected(run, list)
  const readable = [...list.rows, ...rejected]
  requireListed(settings.events, list, readable)
  await warnOfGoneFields(run, list)
  const compared = isVouched(mode, list) ? [] : list.rows
  const differing = await differingEvents(run.mirror.database.kysely, run.mirror.account.id, compared)
  const isDifferent = (id: string) => differing.added.has(id) || differing.changed.has(id)
  const differs = list.verdict === 'same_body' ? 'rewritten' : 'changed'
  const isRejected = new Set(rejected)
  const candidates: readonly DueEvent[] = readable
    .filter(({ id }) => settings.events === null || settings.events.has(id))
    .map((event) => {
      const state = run.initial.states.get(event.id)
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
      mirror.lease.startedAt,
    ) !== null
  const left = candidates.filter(
    ({ record, state }) => record !== 'same' || !isReadBy(run.initial.backfill, state),
  )
  const due = left.filter((candidate) => everything || isDue(candidate))
  stats.listed = readable.length
  stats.due = due.length
  stats.skipped = candidates.length - left.length
  tellWhatIsSkipped(run)
  return due
}

function tellWhatIsSkipped({ initial: { backfill }, stats, settings }: RunContext): void {
  if (!backfill || backfill.continuesFrom === null) return
  settings.logger.info(
    { backfill_id: Number(backfill.id), skipped: stats.skipped },
    `continuing the backfill that began at ${backfill.continuesFrom}: ${stats.skipped} of ${stats.listed} events ` +
      `were read then and are not read again; ${optionName('restart')} reads them all`,
  )
}

async function warnOfGoneFields(run: RunContext, list: EventsList): Promise<void> {
  if (list.verdict === 'same') return
  for (const field of goneFields(
    list,
    await surveyEvents(run.mirror.database.kysely, run.mirror.account.id),
  )) {
    run.pending.observations.addGone('event', field)
    run.stats.warn(`List of events: no event has "${field}" any more; its column is now empty.`)
  }
}
