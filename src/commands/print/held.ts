/** Deletions that are held, for people: since when, why, and how to decide. */
import type { HoldReason } from '../../db/tables.ts'
import type { HeldDeletions } from '../list-status.ts'
import { cleanLine } from './clean.ts'
import { formatCount } from './number.ts'

const reasons: Readonly<Record<HoldReason, string>> = {
  list_empty: 'the list came back empty',
  many_missing: 'many rows vanished at once',
  page_length: 'the list is now exactly as long as a page',
  unreadable_id: 'the list has an item whose id cannot be read',
  run_total: 'the run had removed much already',
  paging: 'the list shows signs of paging',
  no_end_mark: 'the answer had no end mark and may be cut short',
}

export function describeHold({
  rows,
  since,
  reason,
  applied_after,
}: Omit<HeldDeletions, 'event_id'>): string {
  const end =
    applied_after === null
      ? 'time alone never applies them'
      : `applied by a run after ${applied_after} that still misses them`
  return `${formatCount(rows, 'deletion')} since ${since}: ${reasons[reason]}; ${end}`
}

/** What to do about what is held of an account, or of one event of it. */
export function howToDecide(account: string, event: string | null = null): string {
  return `Is it an outage of the service? Then wait. If these rows are really gone: ${acceptCommand(account, event)}`
}

/** The command that applies the deletions on hold, as it is typed. */
export function acceptCommand(account: string, event: string | null = null): string {
  const forAccount = account === 'default' ? '' : ` --account ${shellWord(account)}`
  const forEvent = event === null ? '' : ` --event ${shellWord(event)}`
  return `headcount sync${forAccount}${forEvent} --accept-deletions`
}

function shellWord(text: string): string {
  const word = cleanLine(text)
  return /^[\w.@:/-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
