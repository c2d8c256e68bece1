/** Which rows of a table or view are of one event. */
import type { Transaction } from '../../db/transaction.ts'
import { requireEvent } from './read-view.ts'

const EVENTS: readonly string[] = ['events', 'events_without_personal']

/** They have rows of events that were removed; a test finds those that are not here. */
export const OF_THE_PAST: readonly string[] = [
  'changes',
  'changes_without_personal',
  'event_changes',
  'event_changes_without_personal',
  'event_history',
  'response_changes',
  'response_changes_without_personal',
  'response_history',
]

/** The column with the event of a row; not every table and view has it. */
export function eventColumn(view: string): 'id' | 'event_id' {
  return EVENTS.includes(view) ? 'id' : 'event_id'
}

/** @throws UnknownEventError for an event that none of these tables and views can have rows of */
export async function requireEventOf(
  views: readonly string[],
  trx: Transaction,
  event: string,
  account: string | null,
): Promise<void> {
  await requireEvent(trx, event, account, { orRemoved: views.some((view) => OF_THE_PAST.includes(view)) })
}
