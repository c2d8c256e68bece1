/** What the stored digest of the list of events vouches for, and how it is kept from vouching for more. */
import type { ListState } from '../load/state.ts'
import { EVENTS_LIST } from '../load/state.ts'
import type { DueEvent } from './due.ts'
import type { EventsList } from './listing.ts'
import type { OpenRun } from './opening.ts'

/**
 * Whether the mirror has the records that the service lists and no other event, but for those in doubt: the list is the
 * one whose digest was stored when all of it was. A backfill trusts no digest.
 */
export function isVouched({ mode }: Pick<OpenRun, 'mode'>, list: Pick<EventsList, 'verdict'>): boolean {
  return mode !== 'backfill' && list.verdict === 'same'
}

/** An event whose record the digest does not vouch for: one that failed when the list was stored, or is not known. */
export function isInDoubt(state: ListState | undefined): boolean {
  return state === undefined || state.checked_at === null || state.error_code !== null
}

/**
 * Takes the digest of the former list away before the record of an event is stored as another list has it. Should this
 * run not live to store its own, and the service go back to the former list, that digest would vouch for this record.
 */
export async function doubtFormerList(
  run: OpenRun,
  list: EventsList,
  due: readonly DueEvent[],
): Promise<void> {
  const former = run.states.get(EVENTS_LIST)?.digest ?? null
  if (former === null || list.verdict !== 'other') return
  if (!due.some(({ record, state }) => record !== 'same' || isInDoubt(state))) return
  await run.write((trx) => run.load.doubt(trx, run.account.id, EVENTS_LIST))
}
