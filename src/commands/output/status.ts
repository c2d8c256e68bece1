import { describeRemoval } from '../../sync/open/find-account.ts'
import { commandName } from '../../common/command-name.ts'
import { timeConfirms, heldRows } from '../../common/schema/holds.ts'
import { outcomeOf } from '../../common/schema/run-report.ts'
import { describeMoved } from '../../load/state/moved.ts'
import type { RejectCounts } from '../../load/state/rejects.ts'
import type { AccountStatus } from '../../mirror/status/account-status.ts'
import type { DeliveryStatus } from '../../mirror/status/delivery-status.ts'
import type { HeldDeletions } from '../../mirror/status/list-status.ts'
import type { Output } from '../terminal/terminal.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { formatAge } from '../../common/text/format-duration.ts'
import { describeHold, nextSteps, listName, MISSING_ONCE, named } from './held-deletions.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'
import { drawPairs } from './format/table.ts'
import { shorten, wrapWords } from '../../common/text/fit-text.ts'
import { formatInstant } from './format/timestamp.ts'

/** Lists shown one by one; the JSON has them all. */
const SHOWN = 10

/** How each account stands, for people. */
export function formatStatus(
  accounts: readonly AccountStatus[],
  out: Pick<Output, 'style' | 'width'>,
  { withReplies = true }: { readonly withReplies?: boolean } = {},
): string {
  if (accounts.length === 0) return nothingMirrored()
  return accounts.map((account) => formatAccount(account, out, withReplies)).join('\n')
}

export const nothingMirrored = () => `No account was mirrored here yet. Begin with: ${commandName()} sync\n`

function removingLine({ account, removing_since }: AccountStatus): string {
  return removing_since === null ? '' : `  ${describeRemoval(account, removing_since)}\n`
}

function movedLine({ moved_to, moved_at }: AccountStatus, { width }: Pick<Output, 'width'>): string {
  if (moved_to === null || moved_at === null) return ''
  return `  ${wrapWords(describeMoved({ moved_to, moved_at }), { width, hang: 2 })}\n`
}

function formatAccount(
  status: AccountStatus,
  out: Pick<Output, 'style' | 'width'>,
  withReplies: boolean,
): string {
  const { rows, held, unconfirmed, failing, deliveries } = status
  const origin = [status.email, status.base_url].filter((part) => part !== null).join(', ')
  const title = out.style('bold', stripControlCharsInLine(`account ${status.account}`))
  const counts = Object.entries(rows).map(([table, count]) => formatCount(count, table.replace(/s$/, '')))
  const decision = wrapWords(nextSteps(status.account), { width: out.width, hang: 4 })
  const unconfirmedRows = formatCount(heldRows(unconfirmed), 'row')
  return [
    `${title}${origin && ` (${stripControlCharsInLine(origin)})`}\n`,
    removingLine(status),
    movedLine(status, out),
    drawPairs(out, [
      ['last good run', goodRun(status)],
      ['last run', lastRunUnlessGood(status)],
      ['events due', `${formatNumber(status.events_due)} of ${formatNumber(rows.events)}`],
      ['rows', counts.join(', ')],
      ['rejected', rejectedLine(status)],
      ['set aside', setAsideLine(status)],
      ['held', heldLine(held)],
      // Only where there is something to say: most services answer in one page.
      ['unconfirmed', unconfirmed.length === 0 ? null : `${unconfirmedRows} ${MISSING_ONCE}`],
      ['replies', withReplies ? repliesLine(status) : null],
      ['failing', failing.length === 0 ? 'none' : formatCount(failing.length, 'list')],
      ['told', deliveriesLine(status)],
    ]),
    ...firstOf(held, out, (list) => `${listName(list.event_id, list.title)}: ${describeHold(list)}`),
    held.length === 0 ? '' : `    ${out.style('dim', decision)}\n`,
    ...firstOf(
      unconfirmed,
      out,
      ({ event_id, rows: count, events, since }) =>
        `${listName(event_id)}: ${formatCount(count, 'row')}${named(events ?? [])} unconfirmed since ${formatInstant(since)}`,
    ),
    ...firstOf(
      failing,
      out,
      ({ event_id, message }) => `${listName(event_id)}: ${shorten(stripControlCharsInLine(message), 160)}`,
    ),
    ...deliveries
      .filter(({ failures }) => failures > 0)
      .map((delivery) => below(failedDelivery(delivery), out)),
  ].join('')
}

/** Lists the fields that were set aside, with what the service sent. */
export const setAsideQuery = () => `${commandName()} query "table set_aside"`

export function setAsideLine({ set_aside: fields }: { readonly set_aside: number }): string {
  return fields === 0 ? 'none' : `${formatCount(fields, 'field')}: see ${setAsideQuery()}`
}

/** Only where somebody is told. */
function deliveriesLine({ deliveries }: AccountStatus): string | null {
  if (deliveries.length === 0) return null
  const failing = deliveries.filter(({ failures }) => failures > 0).length
  const count = formatCount(deliveries.length, 'recipient')
  return failing === 0 ? count : `${count}, ${formatNumber(failing)} not reached`
}

function failedDelivery({
  kind,
  name,
  recipient,
  failures,
  error,
  next_attempt_at: next,
}: DeliveryStatus): string {
  const what = kind === 'notice' ? 'notice' : name === 'default' ? 'digest' : `digest ${name}`
  const times = failures === 1 ? 'once' : `${formatNumber(failures)} times`
  const isDue = next === null || Date.parse(next) <= Date.now()
  const again = isDue ? '' : `, next attempt ${formatInstant(next)}`
  return stripControlCharsInLine(
    `${what} to ${recipient}: failed ${times}${again}${error === null ? '' : `: ${shorten(error, 160)}`}`,
  )
}

/** What needs a decision, and what was accepted. */
export function rejectedLine({ rejected, accepted }: RejectCounts): string {
  const open = rejected === 0 ? 'none' : formatCount(rejected, 'item')
  const known = accepted === 0 ? '' : `, and ${formatNumber(accepted)} accepted`
  return rejected + accepted === 0 ? open : `${open}${known}: see ${commandName()} rejects`
}

/** Values shown; the JSON has more. */
const SHOWN_VALUES = 3

/** Only where there is something to do. */
function repliesLine({ rsvp_without_meaning: values }: AccountStatus): string | null {
  if (values === null) return `too many to read within a second: see ${commandName()} rsvp-meanings`
  if (values.length === 0) return null
  const shown = values
    .slice(0, SHOWN_VALUES)
    .map(({ value, responses }) => `${describeValue(value)} (${formatNumber(responses)})`)
  const more = values.length > SHOWN_VALUES ? ' …' : ''
  const count = formatCount(values.length, 'value')
  return `${count} without a meaning: ${shown.join(', ')}${more}: ${commandName()} rsvp-meanings set VALUE MEANING`
}

const MAX_VALUE_COLUMNS = 40

function describeValue(value: string): string {
  return `"${shorten(stripControlCharsInLine(value), MAX_VALUE_COLUMNS)}"`
}

function goodRun({ last_good_run, age_ms }: AccountStatus): string {
  if (last_good_run === null || age_ms === null) return 'none yet'
  return `${formatAge(age_ms)} (run ${last_good_run.run_id}, ${last_good_run.mode}, ${outcomeOf(last_good_run)})`
}

function lastRunUnlessGood({ last_run: run, last_good_run }: AccountStatus): string | null {
  if (run === null || run.run_id === last_good_run?.run_id) return null
  const why = run.error === null ? '' : `: ${shorten(stripControlCharsInLine(run.error), 160)}`
  return `run ${run.run_id}, ${run.mode}, ${outcomeOf(run)}, began ${formatInstant(run.started_at)}${why}`
}

function below(text: string, { width }: Pick<Output, 'width'>): string {
  return `    ${wrapWords(text, { width, hang: 6 })}\n`
}

/** A line for each of the first lists, and one for the rest. */
function firstOf<T>(
  lists: readonly T[],
  out: Pick<Output, 'width'>,
  describe: (list: T) => string,
): readonly string[] {
  const shown = lists.slice(0, SHOWN).map((list) => below(describe(list), out))
  const left = lists.length - shown.length
  return left === 0
    ? shown
    : [...shown, `    and ${formatNumber(left)} more: see ${commandName()} status --json\n`]
}

function heldLine(held: readonly HeldDeletions[]): string {
  if (held.length === 0) return 'none'
  const endless = heldRows(held.filter((hold) => !timeConfirms(hold)))
  const late = heldRows(held.filter((hold) => hold.overdue)) - endless
  return [
    formatCount(heldRows(held), 'deletion'),
    ...(late === 0 ? [] : [`${formatNumber(late)} of them for too long`]),
    ...(endless === 0 ? [] : [`${formatNumber(endless)} of them until somebody decides`]),
  ].join(', ')
}
