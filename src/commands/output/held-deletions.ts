/** Deletions that are held, for people: since when, why, and how to decide. */
import { accountFlagIfNeeded, commandName, quoteForShell } from '../../common/command-name.ts'
import { timeConfirms } from '../../common/schema/holds.ts'
import type { HoldReason, ReportedHold } from '../../common/schema/tables.ts'
import { MAX_NAMED, type HeldDeletions, type HeldEventDeletion } from '../../mirror/status/list-status.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { formatInstant } from './format/timestamp.ts'

const reasons: Readonly<Record<HoldReason, string>> = {
  list_empty: 'the list came back empty',
  account_empty: 'most lists that had responses came back empty',
  many_missing: 'many rows vanished at once',
  page_length: 'the list is now exactly as long as a page',
  unreadable_id: 'the list has an item whose id cannot be read',
  run_total: 'the run had used up its deletion budget',
  paging: 'the list shows signs of paging',
  no_end_mark: 'the answer had no end mark and may be cut short',
}

/** What is said of rows whose absence a second reading will tell. */
export const MISSING_ONCE =
  'missing from one reading of a list in several pages; kept unless the next reading lacks them too'

export function describeHold(held: Omit<HeldDeletions, 'event_id' | 'title' | 'events'>): string {
  const { rows, first, since, reason, applied_after, runs_to_wait } = held
  const end =
    applied_after === null
      ? 'time alone never applies them'
      : `applied by the ${which(runs_to_wait)} after ${formatInstant(applied_after)} that still does not list them`
  return `${formatCount(rows, 'deletion')}${labelled(first, rows)} since ${formatInstant(since)}: ${reasons[reason]}; ${end}`
}

/** The deletion of one event, of which the event list says nothing any more. */
export function describeMissing({ since, reason, applied_after, runs_to_wait }: HeldEventDeletion): string {
  const end =
    applied_after === null
      ? 'time alone never deletes it'
      : `deleted with its responses by the ${which(runs_to_wait)} after ${formatInstant(applied_after)} that still does not list it`
  return `since ${formatInstant(since)}, from the event list: ${reasons[reason]}; ${end}`
}

function which(runs: 1 | 2 | null): string {
  return runs === 1 ? 'next run' : 'second run'
}

export function named(events: readonly string[]): string {
  return labelled(
    events.slice(0, MAX_NAMED).map((id) => ({ id, label: null })),
    events.length,
  )
}

/** The first rows by id and by what people call them, and how many more there are. */
function labelled(first: HeldDeletions['first'], rows: number): string {
  if (first.length === 0) return ''
  const more = rows > first.length ? ` and ${formatNumber(rows - first.length)} more` : ''
  const shown = first.map(({ id, label }) => stripControlCharsInLine(label === null ? id : `${id} ${label}`))
  return ` (${shown.join(', ')}${more})`
}

/** Holds that call for somebody, in one line: those whose time is over, and those that time never ends. */
export function describeOverdue(holds: readonly ReportedHold[]): string {
  const { late = [], endless = [] } = Object.groupBy(holds, (hold) =>
    timeConfirms(hold) ? 'late' : 'endless',
  )
  const parts = [
    ...(late.length === 0 ? [] : [`deletions are held for too long: ${describeFirst(late)}`]),
    ...(endless.length === 0
      ? []
      : [`deletions wait for a decision, for time alone never applies them: ${describeFirst(endless)}`]),
  ]
  return `${parts.join('; ')}. See ${commandName()} status`
}

function describeFirst(holds: readonly ReportedHold[]): string {
  const more = holds.length > MAX_NAMED ? `, and ${formatNumber(holds.length - MAX_NAMED)} more` : ''
  return `${holds.slice(0, MAX_NAMED).map(describeHeldList).join('; ')}${more}`
}

/** One hold in a few words: `event gala (12 deletions since …: the list came back empty)`. */
export function describeHeldList({ event_id, rows, since, reason }: ReportedHold): string {
  return `${listName(event_id)} (${formatCount(rows, 'deletion')} since ${formatInstant(since)}: ${reasons[reason]})`
}

export function listName(event_id: string | null, title: string | null = null): string {
  if (event_id === null) return 'the event list'
  return stripControlCharsInLine(title === null ? `event ${event_id}` : `event ${event_id} (${title})`)
}

/** What to do about what is held of an account, or of one event of it. */
export function nextSteps(account: string, event: string | null = null): string {
  return `Is it an outage of the service? Then wait. If these rows are really gone: ${acceptCommand(account, event)}`
}

/** The command that applies the deletions on hold, as it is typed. */
export function acceptCommand(account: string, event: string | null = null): string {
  const forEvent = event === null ? '' : ` --event ${quoteForShell(stripControlCharsInLine(event))}`
  return `${commandName()} sync${accountFlagIfNeeded(account)}${forEvent} --accept-deletions`
}
