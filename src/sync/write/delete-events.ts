import { HeadcountError, KeyRefusedError, NotFoundError, OutageError } from '../../common/errors.ts'
import { EVENTS_LIST } from '../../load/state/sync-state.ts'
import type { ReadState } from '../../load/state/sync-state.ts'
import type { AbsentEvent } from '../../load/diff/live-counts.ts'
import { addCounts } from '../../load/statements.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { findAbsentEvents } from '../deletions/absent-events.ts'
import type { AbsentFromList } from '../deletions/absent-events.ts'
import { decideEvents, heldLines, NO_LOSS, worseOf } from '../deletions/guard.ts'
import type { Decision, Signs } from '../deletions/guard.ts'
import type { DueEvent } from '../select/select-events.ts'
import { listEvents } from '../fetch/fetch-events.ts'
import type { EventsList } from '../fetch/fetch-events.ts'
import type { OpenRun } from '../open/run-context.ts'
import { noteFailure } from '../fetch/sync-events.ts'
import { isVouched } from '../fetch/event-list-digest.ts'

/** Rows that one transaction removes: an event is removed whole, so a large one goes beyond it. */
const ROWS_PER_REMOVAL = 5000

/**
 * Removes the events that are gone, last of all, under the guard. `notFound` are listed events whose responses
 * the service did not know: the list is read once more to tell a vanished event from a failing one. Where the two
 * lists differ, none is believed against the other: what one of them has is there, but for what was not found.
 *
 * @param rereadRequests how many requests may be spent on reading a list in several pages once more
 */
export async function removeVanished(
  run: OpenRun,
  first: EventsList,
  notFound: readonly DueEvent[],
  rereadRequests: number,
): Promise<void> {
  run.progress('removing')
  const list = notFound.length === 0 ? first : await lookAgain(run, first, notFound)
  if (run.settings.events !== null) return
  if (list === first && isVouched(run, list)) return stampList(run, list)
  const stillListed = new Set(list.ids)
  const missing = new Set(notFound.map(({ event }) => event.id).filter((id) => !stillListed.has(id)))
  const listed = [...new Set([...first.ids.filter((id) => !missing.has(id)), ...list.ids])]
  // Where looking again has failed it is not tried once more.
  const requests = notFound.length === 0 ? rereadRequests : 0
  const found = await findAbsentEvents(run, { first, last: list, listed }, requests)
  const decision = await decideVanished(run, worseOf(first, found.last), found.absent)
  await removeDecided(run, found.absent, decision)
  await recordList(run, found, decision)
}

/** The list is as it was stored: no event is gone, and what is known of it stays. */
function stampList(run: OpenRun, list: EventsList): void {
  run.unchanged.push({ event_id: EVENTS_LIST, step: null, etag: null, read_whole: true })
  run.observations.addList('events', list)
}

async function decideVanished(
  run: OpenRun,
  { length, unreadableId, incomplete }: Signs,
  absent: readonly AbsentEvent[],
): Promise<Decision> {
  if (absent.length === 0) return NO_LOSS
  const live = await run.liveAtStart(run.database.kysely)
  return decideEvents(
    {
      absent,
      live: live.events,
      length,
      unreadableId,
      incomplete,
      held: run.states.get(EVENTS_LIST)?.held ?? [],
    },
    run.holdPolicy,
    { ...run.removals.now, liveAtStart: live.total },
  )
}

/**
 * A run that ends before the second look: what was not found counts as failed, and is read first next time.
 *
 * @throws OutageError when the service has gone away: the run has failed, though what it read is stored.
 */
export function endEarly(run: OpenRun, cause: HeadcountError, notFound: readonly DueEvent[]): void {
  const hasFailed = cause instanceof OutageError
  if (!hasFailed) run.tally.fail(null, cause)
  for (const event of notFound) noteFailure(run, event, listedButNotFound(event.event.id))
  const { tally } = run
  tally.notRead = tally.due - tally.unchanged - tally.changed - tally.failed
  if (!hasFailed) return
  throw new OutageError(
    `${cause.message} ${tally.notRead} of ${tally.due} events that were due were not read; they stay due. What was read before is stored.`,
  )
}

/** Reads the list of events again; what is still listed has failed, and so has all when it cannot be read. */
async function lookAgain(
  run: OpenRun,
  firstList: EventsList,
  notFound: readonly DueEvent[],
): Promise<EventsList> {
  const list = await listEvents(run).catch((error: unknown) => {
    if (!(error instanceof HeadcountError) || error instanceof KeyRefusedError || run.signal.aborted)
      throw error
    return firstList
  })
  const stillListed = new Set(run.settings.events === null ? list.ids : firstList.ids)
  for (const event of notFound) {
    if (stillListed.has(event.event.id)) noteFailure(run, event, listedButNotFound(event.event.id))
  }
  return list
}

/** The failure of an event that is listed, and whose responses are not. */
export function listedButNotFound(id: string): NotFoundError {
  return new NotFoundError(
    `The service lists event "${id}" but does not know its responses (404 or 410). Its rows are kept; it is read again at the next run.`,
  )
}

async function removeDecided(
  run: OpenRun,
  absent: readonly AbsentEvent[],
  decision: Decision,
): Promise<void> {
  const writing = { account: run.account.id, run: run.lease.runId, history: true }
  const going = new Set(decision.remove)
  for (const group of groupByRows(absent.filter(({ id }) => going.has(id)))) {
    const removed = await run.write((trx) => run.load.removeEvents(trx, writing, group))
    addCounts(run.tally.rows, removed)
  }
  run.removals.add(decision)
  for (const line of heldLines('List of events', decision)) run.tally.warn(line)
}

function groupByRows(events: readonly AbsentEvent[]): string[][] {
  const groups: string[][] = []
  let rows = ROWS_PER_REMOVAL
  for (const { id, responses } of events) {
    if (rows + responses >= ROWS_PER_REMOVAL) {
      groups.push([])
      rows = 0
    }
    groups.at(-1)?.push(id)
    rows += 1 + responses
  }
  return groups
}

/** Stores what is known of the list itself. Its digest only when the mirror has all its records, and no other event. */
async function recordList(
  run: OpenRun,
  { first: list, last, listed, unconfirmed }: AbsentFromList,
  { held }: Decision,
): Promise<void> {
  const isOneList = last.digest === list.digest
  const isRecordOld = run.failures.some((failure) => failure.isRecordOld)
  const isWhole = held.length === 0 && unconfirmed.length === 0 && isOneList && !isRecordOld
  await run.write(async (trx) => {
    await run.load.rejects(trx, run.account.id, run.lease.runId, [
      { event_id: null, rejects: [list.rejects] },
    ])
    await run.load.forgetUnlisted(trx, run.account.id, listed)
    const state: ReadState = {
      event_id: EVENTS_LIST,
      digest: isWhole ? list.digest : null,
      normaliser: NORMALISER_VERSION,
      etag: null,
      held,
      unconfirmed_absences: unconfirmed,
      set_aside: list.setAside,
      step: null,
      // Whoever wrote a record, or removed one, has given the list its version.
      has_changed: false,
    }
    await run.load.read(trx, run.account.id, run.backfill?.id ?? null, [state], 'none')
  })
  run.observations.addList('events', list)
}
