import pLimit from 'p-limit'
import type { EventItem, ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { HeadcountError, NotFoundError } from '../../common/errors.ts'
import { readStates } from '../../load/state/sync-state.ts'
import { compareResponses, readStoredList } from '../../load/diff/stored-list.ts'
import { PATIENCE_MS } from '../fetch/deferred-events.ts'
import { heldIds } from '../deletions/guard.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import type { QueueState } from '../../source/retry/rejected-request.ts'
import { earlyEndOf, forEachEvent } from '../fetch/for-each-event.ts'
import { StreamedResponses } from '../fetch/streamed-responses.ts'
import { bufferList, type ListContext, type ResponseList } from '../fetch/response-list.ts'
import type { ComparisonResult, VerifyContext } from './report.ts'

/** Rows of a comparison are written by no run. */
const NO_RUN = '0'
/** Lists compared at once: a statement a list, and room for the caller's own in a pool of three connections. */
const MAX_COMPARISONS = 2

/** The verdict on one list. `held`: deletions of it on hold; `unconfirmed`: absences that one reading has shown; `isFailing`: the last sync could not read it. */
type ListVerdict =
  | ({ readonly is: 'compared'; readonly isFailing: boolean } & ComparisonResult)
  | ({ readonly is: 'changed' | 'undecided'; readonly isFailing: boolean } & Pick<
      ComparisonResult,
      'held' | 'unconfirmed'
    >)
  | { readonly is: 'never_read' }

/** Events without a verdict after a pass. */
interface Inconclusive {
  readonly notCompared: readonly (readonly [EventItem, Exclude<ListVerdict, { is: 'compared' }>])[]
  readonly notFound: readonly EventItem[]
}

/**
 * Compares the responses to the chosen events. What is no longer as the last sync found it is looked at a second
 * time, for a sync may have run meanwhile.
 *
 * @returns the events that the service does not know (404 or 410).
 */
export async function compareResponseLists(
  verification: VerifyContext,
  chosen: readonly EventItem[],
): Promise<readonly EventItem[]> {
  const { found, stats } = verification
  verification.stats.report('comparing')
  const first = await runPass(verification, chosen, () => (stats.done += 1))
  const again = [...first.notCompared.map(([event]) => event), ...first.notFound]
  const second = verification.signal.aborted ? first : await runPass(verification, again, () => undefined)
  for (const [{ id }, verdict] of second.notCompared) {
    if (verdict.is === 'never_read') found.neverRead.push(id)
    else {
      found[verdict.is].push(id)
      found.held += verdict.held
      found.unconfirmed += verdict.unconfirmed
      if (verdict.isFailing) found.failing.push(id)
    }
  }
  return second.notFound
}

/** Looks at each event once. An end that the service or the deadline sets is noted; what was compared counts. */
async function runPass(
  verification: VerifyContext,
  events: readonly EventItem[],
  count: () => void,
): Promise<Inconclusive> {
  const { mirror, stats, signal, settings } = verification
  const states = await readStates(mirror.database.kysely, mirror.account.id)
  const limit = pLimit(MAX_COMPARISONS)
  const notCompared: [EventItem, Exclude<ListVerdict, { is: 'compared' }>][] = []
  const notFound: EventItem[] = []
  await forEachEvent(verification, events, {
    read: async (event, answered, turn) => {
      const wasRead = states.get(event.id)?.checked_at != null
      const verdict = wasRead
        ? await fetchAndCompare(verification, event, limit, { answered, turn })
        : ({ is: 'never_read' } as const)
      if (verdict.is === 'compared') addResult(verification, event, verdict)
      else notCompared.push([event, verdict])
    },
    before: ({ id }) => states.get(id),
    patienceMs: PATIENCE_MS,
    failed: (event, error) => {
      if (!(error instanceof HeadcountError)) throw error
      if (error instanceof NotFoundError) notFound.push(event)
      else {
        stats.fail(event.id, error)
        settings.logger.debug({ event_id: event.id, code: error.code }, error.message)
      }
    },
    done: () => {
      count()
      verification.stats.report('comparing')
    },
  })
  const ended = earlyEndOf(signal)
  if (ended !== null) stats.fail(null, ended)
  return { notCompared, notFound }
}

function addResult(
  { found, stats }: VerifyContext,
  { id }: EventItem,
  verdict: ListVerdict & { is: 'compared' },
): void {
  found.add(verdict)
  found.lists += 1
  found.responses += verdict.rows
  stats.responsesRead += verdict.rows
  if (verdict.isFailing) found.failing.push(id)
}

/** Fetches the list; it stays in memory until it is compared. */
async function fetchAndCompare(
  { source, mirror: { database, account }, settings, found, stats }: VerifyContext,
  { id }: EventItem,
  limit: ReturnType<typeof pLimit>,
  { answered, turn }: { readonly answered: () => void; readonly turn: QueueState },
): Promise<ListVerdict> {
  const answer = await source.responses(id, null, turn)
  answered()
  if (answer === 'not_modified') throw new Error('The service was asked without a validator.')
  using reading = answer
  return await limit(async () => {
    const key = { account: account.id, event_id: id, run: NO_RUN }
    const list = await readList(reading, {
      redact: settings.redact,
      signal: settings.signal,
      key,
      stored: undefined,
    })
    for (const warning of list.warnings) stats.warn(`Event ${id}: ${warning}`)
    const work = (trx: Transaction) => compareIn(trx, account.id, id, list, found.remaining)
    return database.transaction(work, { readOnly: true })
  })
}

async function readList(reading: FetchedList, around: ListContext): Promise<ResponseList> {
  if (!reading.isLarge) return bufferList(reading, around)
  return new StreamedResponses(reading, around).readThrough()
}

async function* itemsOf(list: ResponseList): AsyncGenerator<readonly ResponseItem[], void> {
  for await (const batch of list.batches())
    yield Array.from({ length: batch.count }, (_, place) => batch.item(place))
}

/** The list beside the live rows and their digest, in one snapshot of the mirror. */
async function compareIn(
  trx: Transaction,
  account: number,
  event_id: string,
  list: ResponseList,
  remaining: number,
): Promise<ListVerdict> {
  const stored = await readStoredList(trx, account, event_id)
  if (stored === null) return { is: 'never_read' }
  const isFailing = stored.error_code !== null
  const heldBefore = heldIds(stored.held_deletions)
  const unconfirmedBefore = stored.unconfirmed_absences
  const notCompared = { isFailing, held: heldBefore.length, unconfirmed: unconfirmedBefore.length }
  // guard: changed since
  if (stored.digest !== null && stored.digest !== list.digest) return { is: 'changed', ...notCompared }
  const held = new Set(heldBefore.filter((id) => !list.has(id)))
  const unconfirmed = new Set(unconfirmedBefore.filter((id) => !list.has(id)))
  const expected = {
    rows: () => itemsOf(list),
    isExpectedId: (id: string) => list.has(id) || held.has(id) || unconfirmed.has(id),
  }
  const differences = await compareResponses(trx, account, event_id, expected, remaining)
  if (stored.digest === null && differences.total > 0) return { is: 'undecided', ...notCompared }
  return {
    is: 'compared',
    isFailing,
    ...differences,
    rows: list.count,
    held: held.size,
    unconfirmed: unconfirmed.size,
    rejected: list.rejected,
  }
}
