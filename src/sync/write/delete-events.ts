import { HeadcountError, AuthenticationError, NotFoundError, OutageError } from '../../common/errors.ts'
import { stateWriterOf } from './save-list-states.ts'
import { EVENT_LIST_KEY, type AppliedState } from '../../load/state/sync-state.ts'
import type { AbsentEvent } from '../../load/diff/live-counts.ts'
import { addCounts } from '../../load/statements.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { observationsOf } from '../drift/observations.ts'
import { findAbsentEvents, type AbsentFromList } from '../deletions/absent-events.ts'
import {
  decideEvents,
  holdWarnings,
  NO_LOSS,
  mergeEvidence,
  type Decision,
  type ListEvidence,
} from '../deletions/deletion-guard.ts'
import type { DueEvent } from '../select/selected-event.ts'
import { fetchEventList } from '../fetch/fetch-events.ts'
import { isEventListCurrent, type EventList } from '../fetch/event-list.ts'
import type { RunContext } from '../run-context.ts'
import { recordFailure } from '../fetch/sync-events.ts'
import { groupByRows } from './group-by-rows.ts'

/** Rows that one transaction removes: an event is removed whole, so a large one goes beyond it. */
const ROWS_PER_REMOVAL = 5000

/**
 * Deletes the absent events, last of all, under the deletion guard. `notFound` are listed events whose responses
 * the service did not know: the list is fetched once more to tell a deleted event from a failing one. Where the two
 * lists differ, an event that one of them has is there, but for what was not found.
 *
 * @param rereadRequests how many requests may be spent on reading a list in several pages once more
 */
export async function deleteAbsentEvents(
  run: RunContext,
  first: EventList,
  notFound: readonly DueEvent[],
  rereadRequests: number,
): Promise<void> {
  run.stats.report('removing')
  // guard: second look
  const list = notFound.length === 0 ? first : await refetchEventList(run, first, notFound)
  if (run.settings.events !== null) return
  if (list === first && isEventListCurrent(run.mode, list)) {
    await deleteUnlistedStates(run, list.ids)
    // The list is as it was stored: no event is absent, and its stored state stays.
    const state = { event_id: EVENT_LIST_KEY, poll_interval_s: null, etag: null, read_whole: true }
    run.pending.unchanged.push(state)
    return
  }
  const stillListed = new Set(list.ids)
  const missing = new Set(notFound.map(({ event }) => event.id).filter((id) => !stillListed.has(id)))
  const listed = [
    ...new Set([...first.ids.filter((id) => !missing.has(id)), /* guard: list read twice */ ...list.ids]),
  ]
  // A second fetch that failed is not tried again.
  const requests = notFound.length === 0 ? rereadRequests : 0
  const found = await findAbsentEvents(run, { first, last: list, listed }, requests)
  const decision = await decideAbsentEvents(
    run,
    /* guard: worse of two looks */ mergeEvidence(first, found.last),
    found.absent,
  )
  await deleteDecided(run, found.absent, decision)
  await saveEventListState(run, found, decision)
}

/**
 * The state of an event that failed before its row was stored, in a run that ended early, goes when the event is listed
 * no longer: the list may then be the one that is stored.
 */
async function deleteUnlistedStates(
  { initial: { states }, mirror }: RunContext,
  listed: readonly string[],
): Promise<void> {
  const isListed = new Set([EVENT_LIST_KEY, ...listed])
  // guard: states of events that came and went
  if ([...states.keys()].every((id) => isListed.has(id))) return
  await mirror.write((trx) => mirror.load.deleteStaleState(trx, mirror.account.id, listed))
}

async function decideAbsentEvents(
  run: RunContext,
  evidence: ListEvidence,
  absent: readonly AbsentEvent[],
): Promise<Decision> {
  if (absent.length === 0) return NO_LOSS
  const live = await run.initial.liveCounts(run.mirror.database.kysely)
  const held = run.initial.states.get(EVENT_LIST_KEY)?.held_deletions ?? []
  return decideEvents({ absent, live: live.events, held, ...evidence }, run.deletions.policy, {
    ...run.deletions.budget.totals,
    liveAtStart: live.total,
  })
}

/**
 * A run that ends before the list is fetched again: what was not found counts as failed, and is read first next time.
 *
 * @throws OutageError when the service has gone away: the run has failed, though what it read is stored.
 */
export function recordEarlyEnd(run: RunContext, cause: HeadcountError, notFound: readonly DueEvent[]): void {
  const hasFailed = cause instanceof OutageError
  // guard: early end
  if (!hasFailed) run.stats.fail(null, cause)
  for (const event of notFound) recordFailure(run, event, notFoundError(event.event.id))
  const { stats } = run
  stats.events.notRead = stats.events.due - stats.events.unchanged - stats.events.changed - stats.failed
  if (!hasFailed) return
  throw new OutageError(
    `${cause.message} ${stats.events.notRead} of ${stats.events.due} events that were due were not read; they stay due. What was read before is stored.`,
  )
}

/** Reads the event list again; what is still listed has failed, and so has all when it cannot be read. */
async function refetchEventList(
  run: RunContext,
  firstList: EventList,
  notFound: readonly DueEvent[],
): Promise<EventList> {
  const list = await fetchEventList(run).catch((error: unknown) => {
    if (!(error instanceof HeadcountError) || error instanceof AuthenticationError || run.signal.aborted)
      throw error
    return firstList
  })
  const stillListed = new Set(run.settings.events === null ? list.ids : firstList.ids)
  for (const event of notFound) {
    if (stillListed.has(event.event.id)) recordFailure(run, event, notFoundError(event.event.id))
  }
  return list
}

/** The failure of an event that is listed, and whose responses are not. */
export function notFoundError(id: string): NotFoundError {
  return new NotFoundError(
    `The service lists event "${id}" but does not know its responses (404 or 410). Its rows are kept; it is read again at the next run.`,
  )
}

async function deleteDecided(
  run: RunContext,
  absent: readonly AbsentEvent[],
  decision: Decision,
): Promise<void> {
  const { account, lease, load } = run.mirror
  const writing = { account: account.id, run: lease.runId, history: true }
  const going = new Set(decision.remove)
  const events = absent.filter(({ id }) => going.has(id))
  for (const group of groupByRows(events, ROWS_PER_REMOVAL, ({ responses }) => responses)) {
    const ids = group.map(({ id }) => id)
    addCounts(run.stats.rows, await run.mirror.write((trx) => load.deleteEvents(trx, writing, ids)))
  }
  run.deletions.budget.add(decision)
  for (const line of holdWarnings('The event list', decision)) run.stats.warn(line)
}

/** Stores what is known of the list itself. Its digest only when the mirror has all its records, and no other event. */
async function saveEventListState(
  run: RunContext,
  { first: list, last, listed, unconfirmed }: AbsentFromList,
  { held }: Decision,
): Promise<void> {
  const isOneList = last.digest === list.digest
  const isRecordOld = run.pending.failures.some((failure) => failure.isEventRowOld)
  const isWhole =
    held.length === 0 &&
    unconfirmed.length === 0 &&
    isOneList &&
    /* guard: digest without records */ !isRecordOld
  const { account, lease, load } = run.mirror
  const state: AppliedState = {
    event_id: EVENT_LIST_KEY,
    digest: isWhole ? list.digest : null,
    normaliser_version: NORMALISER_VERSION,
    etag: null,
    held_deletions: held,
    unconfirmed_absences: unconfirmed,
    set_aside: list.setAside,
    poll_interval_s: null,
    // Whoever wrote an event row, or removed one, has given the list its version.
    is_restored: false,
    has_changed: false,
  }
  const observed = await run.mirror.write(async (trx) => {
    const rejects = [{ event_id: null, rejects: [list.rejects] }]
    await load.replaceRejects(trx, account.id, lease.runId, rejects)
    await load.deleteStaleState(trx, account.id, listed)
    await load.saveRead(trx, stateWriterOf(run), [state], 'none')
    return run.pending.observations.store(trx, observationsOf('events', list))
  })
  run.pending.observations.committed(observed)
}
