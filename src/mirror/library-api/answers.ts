/** What organisers ask, as the commands of these names answer it: rows of the views, with types made from their columns. */
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import { changesCall, type Changes } from '../answers/changes.ts'
import type { Digest } from '../answers/digest/digest.ts'
import { digestCall } from '../answers/digest/digest-call.ts'
import { eventCall, type EventDetails } from '../answers/event.ts'
import { eventsCall, SELECTIONS, type EventSelection, type ListedEvent } from '../answers/events.ts'
import { thinCall } from '../answers/thin.ts'
import { searchKey } from '../persons/search.ts'
import { personKeyOf } from '../../sync/options.ts'
import { whoCall, type FoundPersons } from '../answers/who.ts'
import { parsePastInstant } from '../instants/parse-instant.ts'
import { listInput, statusInput, type ListOptions, type StatusOptions } from './inspect.ts'
import { oneOf } from '../../common/parse-values.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import { instantOption } from './instant-option.ts'
import { callMirror, type AccountFilter } from './with-mirror.ts'

export interface EventsOptions extends ListOptions {
  /** Those to come (and those without a time), those that are over, or all; `upcoming` when not given. */
  readonly which?: EventSelection
}

/**
 * Events in figures, in the order of time; of past ones the latest first; at most `limit` of them, 100 when it is not given.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function events(options: EventsOptions): Promise<readonly ListedEvent[]> {
  checkOptions(options)
  const { which = 'upcoming' } = options
  const known = parseOption('which', () => oneOf(SELECTIONS)(which))
  const found = await callMirror(options, eventsCall, { ...listInput(options), which: known })
  return found.events
}

export interface EventOptions extends AccountFilter {
  /** Its id. */
  readonly event: string
  /** At most so many changes; 100 when not given. */
  readonly changes?: number
}

/**
 * All that the views say of one event, for each account that has it.
 *
 * @throws UsageError when the mirror has no such account or event
 */
export async function event(options: EventOptions): Promise<readonly EventDetails[]> {
  checkOptions(options, 'event')
  const { changes = 100 } = options
  return callMirror(options, eventCall, {
    account: options.account ?? null,
    event: options.event,
    changes: requireWholeNumber('changes', changes, 1),
  })
}

export interface WhoOptions extends ListOptions {
  /** An e-mail address in any spelling, or a part of a name. */
  readonly who: string
  /** Of a mirror that stores pseudonyms: without it nobody is found by an address or a name. */
  readonly personKey?: string
}

/**
 * Persons with an address or a name, each over all events of its account.
 *
 * @throws UsageError when the mirror has no account of this name, or the text is empty
 */
export async function who(options: WhoOptions): Promise<FoundPersons> {
  checkOptions(options, 'who')
  const { who, personKey } = options
  return callMirror(options, whoCall, {
    ...listInput(options),
    who,
    ...searchKey(who, personKeyOf(personKey)),
  })
}

export interface ChangesOptions extends ListOptions {
  /** After the run of this number, or since a moment: a Date, an ISO 8601 text or an age like `7d`; `yesterday` when not given. */
  readonly since?: number | Date | string
  /** Only of the event with this id. */
  readonly event?: string
}

/**
 * What closed runs changed, the newest run first; first readings are counted apart.
 *
 * @throws UsageError when the mirror has no such account, event or run
 */
export async function changes(options: ChangesOptions): Promise<Changes> {
  checkOptions(options)
  const { since = 'yesterday', event = null } = options
  return callMirror(options, changesCall, { ...listInput(options), event, since: sinceOption(since) })
}

export function sinceOption(since: number | Date | string) {
  if (since === 'yesterday') return since
  if (typeof since === 'number') return { run: requireWholeNumber('since', since, 0) }
  return instantOption('since', since, parsePastInstant)
}

export interface DigestOptions extends StatusOptions {
  /** After the run of this number, or since a moment: a Date, an ISO 8601 text, an age like `7d` or `yesterday`; `1d` when not given. */
  readonly since?: number | Date | string
  /** Only of the event with this id. */
  readonly event?: string
}

/**
 * What happened, in short: of each kind of change the first ten and how many there are, and how the mirror stands.
 *
 * @throws UsageError when the mirror has no such account, event or run
 */
export async function digest(options: DigestOptions): Promise<Digest> {
  checkOptions(options)
  const { since = '1d', event = null } = options
  return callMirror(options, digestCall, { ...statusInput(options), event, since: sinceOption(since) })
}

/**
 * Slots of the next 56 days that need people, the next one first; at most `limit` of them, 100 when it is not given.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function thinSlots(options: ListOptions): Promise<readonly ViewRow<'thin_slots'>[]> {
  checkOptions(options)
  const { thin_slots } = await callMirror(options, thinCall, listInput(options))
  return thin_slots
}
