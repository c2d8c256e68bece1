import { HeadcountError, NotFoundError, UnexpectedPaginationError } from '../../common/errors.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import type { QueueState } from '../../source/retry/rejected-request.ts'
import { EventBatches } from '../write/event-batches.ts'
import { compareDigest, etagToSend } from './change-detection.ts'
import { BACKFILL_PATIENCE_MS, PATIENCE_MS } from './deferred-events.ts'
import { restored, type DueEvent } from '../select/selected-event.ts'
import { earlyEndOf, forEachEvent } from './for-each-event.ts'
import { pollIntervalOf } from '../write/save-list-states.ts'
import { isRevived } from './revived-event.ts'
import { isStreamed, StreamedResponses } from './streamed-responses.ts'
import type { RunContext } from '../run-context.ts'
import { bufferList, type ListContext } from './response-list.ts'
import type { UnchangedState } from '../../load/state/sync-state.ts'
import { CheckedMarker } from '../write/mark-checked.ts'
import { pagedObject } from '../drift/observations.ts'
import { reportList } from '../write/batch-transaction.ts'
import type { Unchanged } from '../write/event-write.ts'

/** How reading the due events ended. */
export interface SyncOutcome {
  /** Listed events that the service does not know (404 or 410). */
  readonly notFound: readonly DueEvent[]
  /** Why reading ended before every due event was read; null when it did not. */
  readonly endedEarly: HeadcountError | null
}

/** Where an event goes that was read. */
interface Destination {
  readonly batches: EventBatches
  readonly marker: CheckedMarker
}

/** Reads the due events, a bounded number at once, and hands what changed to the loader. */
export async function syncDueEvents(run: RunContext, due: readonly DueEvent[]): Promise<SyncOutcome> {
  await using batches = new EventBatches(run)
  const { mirror, pending, signal, stop } = run
  const write = (states: readonly UnchangedState[]) =>
    mirror.write((trx) => mirror.load.markUnchanged(trx, mirror.account.id, states))
  const marker = new CheckedMarker({ unchanged: pending.unchanged, signal, stop, write })
  const notFound: DueEvent[] = []
  run.stats.report('responses')
  await forEachEvent(run, due, {
    read: (event, onResponse, queueState) =>
      syncEvent(run, { batches, marker }, event, { onResponse, queueState }),
    patienceMs: run.mode === 'backfill' ? BACKFILL_PATIENCE_MS : PATIENCE_MS,
    before: ({ state }) => state,
    failed: (event, error) => {
      if (error instanceof NotFoundError) notFound.push(event)
      else recordFailure(run, event, error)
    },
    done: () => {
      run.stats.events.done += 1
      run.stats.report('responses')
    },
  })
  await marker.drain()
  const endedEarly = earlyEndOf(run.signal)
  await batches.finish()
  return { notFound, endedEarly }
}

/**
 * Reads one event. "Not modified" ends it here, and so does an equal digest without signs of more pages; otherwise its
 * rows go to the loader.
 */
async function syncEvent(
  run: RunContext,
  into: Destination,
  due: DueEvent,
  { onResponse, queueState }: { readonly onResponse: () => void; readonly queueState: QueueState },
): Promise<void> {
  const usesState = run.mode !== 'backfill'
  const etag = usesState ? etagToSend(due.state, run.mirror.lease.startedAt) : null
  const answer = await run.source.responses(due.event.id, etag, queueState)
  onResponse()
  if (answer === 'not_modified') return recordUnchanged(run, into, due, { etag, read_whole: false })
  using reading = answer
  const isAsStored = usesState && compareDigest(reading, due.state) === 'same'
  if (isAsStored && /* guard: signs of an unchanged list */ !(await reading.showsPaging())) {
    return recordUnchanged(run, into, due, { etag: reading.etag, read_whole: true })
  }
  await writeList(run, into.batches, due, reading)
}

/** Hands a list that was read to the loader. */
export async function writeList(
  run: RunContext,
  batches: EventBatches,
  selected: DueEvent,
  reading: FetchedList,
): Promise<void> {
  const due = (await isRevived(run, selected, reading, () => listContext(run, selected)))
    ? restored(selected)
    : selected
  const context = listContext(run, due)
  if (isStreamed(reading)) {
    const large = new StreamedResponses(reading, context)
    return batches.addStreamed({ ...due, large })
  }
  const list = await bufferList(reading, context)
  reportList(run, due, list)
  await batches.add({ ...due, list })
}

function listContext({ settings, mirror, initial }: RunContext, { event, state }: DueEvent): ListContext {
  const key = { account: mirror.account.id, event_id: event.id, run: mirror.lease.runId }
  // Not the run's own signal: what was read when the run must end is stored.
  return {
    redact: settings.redact,
    signal: settings.signal,
    key,
    stored: state,
    withoutPersonal: /* guard: forgotten events */ state?.retention === 'forgotten',
    suppressed: initial.suppressions.forEvent(event.id),
    rules: settings.rules,
  }
}

/** The responses are as they were; the event's own record may not be. */
async function recordUnchanged(
  run: RunContext,
  { batches, marker }: Destination,
  due: DueEvent,
  unchanged: Unchanged,
): Promise<void> {
  run.deletions.listsRead.unchanged.push(due.event.id)
  if (due.eventRow !== 'same') return batches.add({ ...due, list: null, unchanged })
  marker.add({ event_id: due.event.id, poll_interval_s: pollIntervalOf(run, due, false), ...unchanged })
  run.stats.events.unchanged += 1
}

/** Notes that an event could not be read; what is no failure of the service is thrown on. */
export function recordFailure(run: RunContext, { event, eventRow }: DueEvent, error: unknown): void {
  if (!(error instanceof HeadcountError)) throw error
  run.stats.fail(event.id, error)
  if (error instanceof UnexpectedPaginationError) run.pending.observations.note(pagedObject('responses'))
  const { code: error_code, message: error_message } = error
  run.pending.failures.push({
    event_id: event.id,
    error_code,
    error_message,
    isEventRowOld: eventRow !== 'same',
  })
  // The report lists it; a service that is in trouble fails hundreds.
  run.settings.logger.debug({ event_id: event.id, code: error.code }, error.message)
}
