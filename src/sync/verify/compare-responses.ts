import pLimit from 'p-limit'
import type { EventItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { HeadcountError, NotFoundError } from '../../common/errors.ts'
import { readStates } from '../../load/state/sync-state.ts'
import { compareResponses, readVouched } from '../../load/diff/stored-list.ts'
import { PATIENCE_MS } from '../fetch/deferred-events.ts'
import { heldIds } from '../deletions/guard.ts'
import type { ListReading } from '../../source/fetched-list.ts'
import type { Turn } from '../../source/retry/rejected-request.ts'
import { isEarlyEnd, forEachEvent } from '../fetch/for-each-event.ts'
import { StreamedResponses } from '../fetch/streamed-responses.ts'
import { bufferList } from '../fetch/response-list.ts'
import type { ListContext, ResponseList } from '../fetch/response-list.ts'
import type { ComparisonResult, VerifyContext } from './report.ts'

/** Lists compared at once: a statement a list, and room for the caller's own in a pool of three connections. */
const MAX_COMPARISONS = 2

/** What can be said of a list. `held`: deletions of it on hold; `unconfirmed`: absences that one reading has shown; `isFailing`: the last sync could not read it. */
type ListVerdict =
  | ({ readonly is: 'compared'; readonly isFailing: boolean } & ComparisonResult)
  | ({ readonly is: 'changed' | 'undecided'; readonly isFailing: boolean } & Pick<
      ComparisonResult,
      'held' | 'unconfirmed'
    >)
  | { readonly is: 'never_read' }

/** Events of which nothing is said yet after a pass. */
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
  for (const [{ id }, said] of second.notCompared) {
    if (said.is === 'never_read') found.neverRead.push(id)
    else {
      found[said.is].push(id)
      found.held += said.held
      found.unconfirmed += said.unconfirmed
      if (said.isFailing) found.failing.push(id)
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
  const place = pLimit(MAX_COMPARISONS)
  const notCompared: [EventItem, Exclude<ListVerdict, { is: 'compared' }>][] = []
  const notFound: EventItem[] = []
  await forEachEvent(verification, events, {
    read: async (event, answered, turn) => {
      const wasRead = states.get(event.id)?.checked_at != null
      const said = wasRead
        ? await fetchAndCompare(verification, event, place, { answered, turn })
        : ({ is: 'never_read' } as const)
      if (said.is === 'compared') addResult(verification, event, said)
      else notCompared.push([event, said])
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
  const ended: unknown = signal.aborted ? signal.reason : null
  if (ended !== null && !isEarlyEnd(ended)) throw ended
  if (ended !== null) stats.fail(null, ended)
  return { notCompared, notFound }
}

function addResult(
  { found, stats }: VerifyContext,
  { id }: EventItem,
  said: ListVerdict & { is: 'compared' },
): void {
  found.add(said)
  found.lists += 1
  found.responses += said.rows
  stats.responsesRead += said.rows
  if (said.isFailing) found.failing.push(id)
}

/** Reads the list; it keeps its place in memory until it is compared. */
async function fetchAndCompare(
  { source, mirror: { database, account }, settings, found, stats }: VerifyContext,
  { id }: EventItem,
  place: ReturnType<typeof pLimit>,
  { answered, turn }: { readonly answered: () => void; readonly turn: Turn },
): Promise<ListVerdict> {
  const answer = await source.responses(id, null, turn)
  answered()
  if (answer === 'not_modified') throw new Error('The service was asked without a validator.')
  using reading = answer
  return await place(async () => {
    const list = await readList(reading, settings)
    for (const warning of list.warnings) stats.warn(`Event ${id}: ${warning}`)
    const work = (trx: Transaction) => compareIn(trx, account.id, id, list, found.remaining)
    return database.transaction(work, { readOnly: true })
  })
}

async function readList(reading: ListReading, around: ListContext): Promise<ResponseList> {
  if (!reading.isLarge) return bufferList(reading, undefined, around)
  return new StreamedResponses(reading, undefined, around).readThrough()
}

/** The list beside the live rows and the digest that vouches for them, in one view of the mirror. */
async function compareIn(
  trx: Transaction,
  account: number,
  event_id: string,
  list: ResponseList,
  room: number,
): Promise<ListVerdict> {
  const vouched = await readVouched(trx, account, event_id)
  if (vouched === null) return { is: 'never_read' }
  const isFailing = vouched.error_code !== null
  const heldBefore = heldIds(vouched.held_deletions)
  const unconfirmedBefore = vouched.unconfirmed_absences
  const notCompared = { isFailing, held: heldBefore.length, unconfirmed: unconfirmedBefore.length }
  if (vouched.digest !== null && vouched.digest !== list.digest) return { is: 'changed', ...notCompared }
  const held = new Set(heldBefore.filter((id) => !list.has(id)))
  const unconfirmed = new Set(unconfirmedBefore.filter((id) => !list.has(id)))
  const expected = {
    rows: () => list.rows(),
    allows: (id: string) => list.has(id) || held.has(id) || unconfirmed.has(id),
  }
  const differences = await compareResponses(trx, account, event_id, expected, room)
  if (vouched.digest === null && differences.total > 0) return { is: 'undecided', ...notCompared }
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
