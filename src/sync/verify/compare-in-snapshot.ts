import type { EventItem } from '../../common/schema/tables.ts'
import type { Differences } from '../../load/diff/column-diff.ts'
import { isErasing } from '../../load/state/suppressions.ts'
import {
  compareResponses,
  equalLists,
  readStoredLists,
  type ExpectedResponses,
  type StoredList,
} from '../../load/diff/verify-lists.ts'
import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import { heldIds } from '../deletions/deletion-guard.ts'
import type { ResponseList } from '../fetch/response-list.ts'
import type { ComparisonResult, VerifyContext } from './report.ts'

/** The verdict on one list. `held`: deletions of it on hold; `unconfirmed`: absences that one reading has shown; `isFailing`: the last sync could not read it. */
export type ListVerdict =
  | ({ readonly is: 'compared'; readonly isFailing: boolean } & ComparisonResult)
  | ({ readonly is: 'changed' | 'undecided'; readonly isFailing: boolean } & Pick<
      ComparisonResult,
      'held' | 'unconfirmed'
    >)
  | { readonly is: 'never_read' }

/** A list as the service answers it now. */
export interface FetchedEvent {
  readonly event: EventItem
  readonly list: ResponseList
  /** Its rows; null for a list that is too large for memory. */
  readonly batch: ResponseBatch | null
  /** Whether its rows were made without personal data. */
  readonly withoutPersonal: boolean
}

/**
 * The lists beside the live rows and their digests, in one snapshot of the mirror.
 *
 * @param suppressions version of the suppression list with which the rows were made
 */
export async function compareInSnapshot(
  { mirror: { database, account }, found, thorough }: VerifyContext,
  lists: readonly FetchedEvent[],
  suppressions: string,
): Promise<readonly (readonly [EventItem, ListVerdict])[]> {
  return database.transaction(
    async (trx) => {
      const ids = lists.map(({ event }) => event.id)
      const stored = await readStoredLists(trx, account.id, ids)
      const erasing = await isErasing(trx.kysely, account.id, suppressions)
      const verdicts: [EventItem, ListVerdict][] = []
      const comparable: ComparableList[] = []
      for (const fetched of lists) {
        const { event } = fetched
        const verdict = comparableList(stored.get(event.id), fetched)
        if ('is' in verdict) verdicts.push([event, verdict])
        else comparable.push(verdict)
      }
      const asBytes = comparable.flatMap(({ event, batch, isExpectedId }) =>
        batch === null || thorough.has(event.id) ? [] : [{ batch, isExpectedId }],
      )
      const equal = await equalLists(trx, asBytes)
      let max = found.remaining
      for (const one of comparable) {
        const { id } = one.event
        const differences = equal.has(id)
          ? NO_DIFFERENCES
          : await compareResponses(trx, account.id, id, one, { max, inSql: thorough.has(id) })
        max -= differences.listed.length
        verdicts.push([one.event, verdictOf(one, differences, erasing)])
      }
      return verdicts
    },
    { readOnly: true, everyRow: true },
  )
}

const NO_DIFFERENCES: Differences = { listed: [], total: 0 }

/** A list that is as the last sync found it, and what is known of live rows that it lacks. */
interface ComparableList extends FetchedEvent, ExpectedResponses {
  readonly stored: StoredList
  readonly held: ReadonlySet<string>
  readonly unconfirmed: ReadonlySet<string>
}

function comparableList(stored: StoredList | undefined, fetched: FetchedEvent): ComparableList | ListVerdict {
  const { list } = fetched
  if (stored === undefined) return { is: 'never_read' }
  // guard: forgotten since
  if (stored.rewrite_due || stored.is_forgotten !== fetched.withoutPersonal)
    return notCompared('changed', stored)
  // guard: changed since
  if (stored.digest !== null && stored.digest !== list.digest) return notCompared('changed', stored)
  const held = new Set(heldIds(stored.held_deletions).filter((id) => !list.has(id)))
  const unconfirmed = new Set(stored.unconfirmed_absences.filter((id) => !list.has(id)))
  return {
    ...fetched,
    stored,
    held,
    unconfirmed,
    batches: () => list.batches(),
    isExpectedId: (id) => list.has(id) || held.has(id) || unconfirmed.has(id),
  }
}

function notCompared(is: 'changed' | 'undecided', stored: StoredList): ListVerdict {
  return {
    is,
    isFailing: stored.error_code !== null,
    held: heldIds(stored.held_deletions).length,
    unconfirmed: stored.unconfirmed_absences.length,
  }
}

function verdictOf(
  { list, stored, held, unconfirmed }: ComparableList,
  differences: Differences,
  erasing: boolean,
): ListVerdict {
  // guard: erased since
  if (erasing && differences.total > 0) return notCompared('changed', stored)
  if (stored.digest === null && differences.total > 0) return notCompared('undecided', stored)
  return {
    is: 'compared',
    isFailing: stored.error_code !== null,
    ...differences,
    rows: list.count,
    held: held.size,
    unconfirmed: unconfirmed.size,
    rejected: list.rejected,
  }
}
