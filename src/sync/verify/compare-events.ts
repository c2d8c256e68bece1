import type { Transaction } from '../../db/transaction.ts'
import { EVENT_LIST_KEY, readStates } from '../../load/state/sync-state.ts'
import { unlistedEvents } from '../../load/diff/orphans.ts'
import { compareEvents, compareResponses, type ExpectedResponses } from '../../load/diff/verify-lists.ts'
import { heldIds } from '../deletions/deletion-guard.ts'
import type { EventList } from '../fetch/event-list.ts'
import type { ComparisonResult, VerifyContext } from './report.ts'

/**
 * Compares the event rows with the live ones, and looks for rows of events that are not listed; all in
 * one view of the mirror.
 *
 * @returns false when the list is another one than at the last sync, or that is undecided: then no difference is added.
 */
export async function compareEventRows(verification: VerifyContext, list: EventList): Promise<boolean> {
  const { mirror, found } = verification
  const compared = await mirror.database.transaction((trx) => compareIn(trx, verification, list), {
    readOnly: true,
    everyRow: true,
  })
  found.eventsUndecided = compared === 'undecided'
  if (compared === 'changed' || compared === 'undecided') return false
  found.events = compared.rows
  found.add(compared)
  return true
}

/** `changed` since the last sync; `undecided`: it differs, and no digest shows which side changed. */
async function compareIn(
  trx: Transaction,
  { mirror: { account }, settings, found }: VerifyContext,
  list: EventList,
): Promise<ComparisonResult | 'changed' | 'undecided'> {
  const states = await readStates(trx.kysely, account.id)
  const stored = states.get(EVENT_LIST_KEY)
  if (stored === undefined || (stored.digest !== null && stored.digest !== list.digest)) return 'changed'
  const listed = new Set(list.ids)
  const held = heldIds(stored.held_deletions).filter((id) => !listed.has(id))
  const unconfirmed = stored.unconfirmed_absences.filter((id) => !listed.has(id))
  const kept = [...held, ...unconfirmed]
  // The digest is stored once every event row is. Without it the rows of failed events may come from an earlier run.
  const isStored = (id: string) => {
    const state = states.get(id)
    return (
      stored.digest !== null ||
      (state !== undefined && state.checked_at !== null && state.error_code === null)
    )
  }
  const rows = list.rows.filter(({ id }) => (settings.events?.has(id) ?? true) && isStored(id))
  const comparedIds = new Set(rows.map(({ id }) => id))
  const ignoredIds = [...kept, ...list.ids.filter((id) => !comparedIds.has(id))]
  const onlyNamed = settings.events !== null
  const records = await compareEvents(trx, account.id, { rows, ignoredIds }, onlyNamed, found.remaining)
  const listedDifferences = [...records.listed]
  let total = records.total
  const orphans = onlyNamed ? [] : await unlistedEvents(trx.kysely, account.id, [...list.ids, ...kept])
  for (const { id: event_id } of orphans) {
    const options = { max: found.remaining - listedDifferences.length, inSql: true }
    const rowsOf = await compareResponses(trx, account.id, event_id, nothing, options)
    listedDifferences.push(...rowsOf.listed)
    total += rowsOf.total
  }
  if (stored.digest === null && total > 0) return 'undecided'
  return {
    listed: listedDifferences,
    total,
    rows: rows.length,
    held: held.length,
    unconfirmed: unconfirmed.length,
    rejected: list.rejects.length,
  }
}

/** Expected of an event that is not listed. */
const nothing: ExpectedResponses = {
  batches: async function* () {},
  isExpectedId: () => false,
}
