import { commandName } from '../../common/command-name.ts'
import type { DueReason } from '../../sync/select/polling-schedule.ts'
import type { DeletedEvent, EventStatus } from '../../mirror/status/event-status.ts'
import type { Output } from '../terminal/terminal.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { describeHold, describeMissing, nextSteps, MISSING_ONCE } from './held-deletions.ts'
import { formatCount } from '../../common/text/number.ts'
import { rejectedLine, setAsideLine } from './status.ts'
import { drawPairs, type Pair } from './format/table.ts'
import { formatInstant } from './format/timestamp.ts'

const dueReasons: Readonly<Record<Exclude<DueReason, 'active'>, string>> = {
  never_read: 'it was never read',
  failed: 'it could not be read last time',
  held: 'deletions of it are held',
  unconfirmed: 'rows were missing once from its pages',
  event_changed: 'the event itself changed',
  new_version: 'this version of headcount reads it differently',
  waited: 'it has waited long enough',
}

/** How one event stands in each account that has it, for people. */
export function formatEvents(events: readonly EventStatus[], out: Pick<Output, 'style' | 'width'>): string {
  return events.map((event) => formatEvent(event, out)).join('\n')
}

/** An event that is no longer in the live tables. */
export function formatDeletedEvent({ account, event_id, title, ...former }: DeletedEvent): string {
  const name = title === null ? '' : ` (${stripControlCharsInLine(title)})`
  const responses = formatCount(former.responses, 'response')
  return (
    `${stripControlCharsInLine(`event ${event_id} of account ${account}`)}${name}\n` +
    `  deleted on ${formatInstant(former.deleted_at)} by run ${former.run_id}, in history with ${responses}\n` +
    `  see ${commandName()} query "table response_history"\n`
  )
}

function formatEvent(event: EventStatus, out: Pick<Output, 'style' | 'width'>): string {
  const { missing, held, failing } = event
  const title = out.style(
    'bold',
    stripControlCharsInLine(`event ${event.event_id} of account ${event.account}`),
  )
  const described = [event.title, event.event_at && formatInstant(event.event_at)]
    .filter((part) => part !== null)
    .join(', ')
  const unconfirmed = `${formatCount(event.unconfirmed, 'response')} ${MISSING_ONCE}`
  const rejectedRecord = `listed, but rejected: the stored event row stays; see ${commandName()} rejects`
  const pairs: readonly Pair[] = [
    ['last read', event.last_read_at === null ? 'never' : formatInstant(event.last_read_at)],
    ['next read', missing === null ? nextRead(event) : 'when it is listed again'],
    ['due', describeDue(event)],
    ['missing', missing && describeMissing(missing)],
    ['', missing && nextSteps(event.account)],
    ['held', held.length === 0 ? 'none' : null],
    ...held.map((deletions) => ['held', describeHold(deletions)] as const),
    // No run can be asked for an event that is not listed.
    ['', held.length === 0 || missing !== null ? null : nextSteps(event.account, event.event_id)],
    ['unconfirmed', event.unconfirmed === 0 ? null : unconfirmed],
    ['unconfirmed', event.missing_unconfirmed ? `the event itself, ${MISSING_ONCE}` : null],
    ['its record', event.record_rejected ? rejectedRecord : null],
    ['rejected', rejectedLine(event)],
    ['set aside', setAsideLine(event)],
    [
      'failing',
      failing === null
        ? 'no'
        : stripControlCharsInLine(
            `since ${formatInstant(failing.failed_at)}, ${failing.code}: ${failing.message}`,
          ),
    ],
  ]
  return `${title}${described && ` (${stripControlCharsInLine(described)})`}\n${drawPairs(out, pairs)}`
}

function nextRead({ next_read_at }: EventStatus): string {
  return next_read_at === null ? 'by the next run' : formatInstant(next_read_at)
}

function describeDue({ due, missing, event_at }: EventStatus): string {
  if (missing !== null) return 'no: it is not in the event list'
  if (due === null) return 'no: it did not change; a change of the event itself makes it due'
  if (due !== 'active') return `yes: ${dueReasons[due]}`
  return event_at === null
    ? 'yes: it has no time, so people may still respond'
    : `yes: people may still respond until 30 days after ${formatInstant(event_at)}`
}
