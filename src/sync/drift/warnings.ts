import { commandName } from '../../common/command-name.ts'
import type { ObservationKind, Observation } from '../../common/schema/tables.ts'
import { ObservationSet } from './observation-set.ts'
import { WITHHELD, OTHER_VALUES } from '../../normalise/observe/safe-value.ts'

/** At most so many things are reported one by one; `headcount observations` lists them all. */
const TOLD = 10

/** What the specification itself shows is no news, whenever it comes. */
const specified: Readonly<Record<string, readonly string[]>> = {
  'response.rsvp value': ['yes'],
  'event.event_type value': ['rsvp'],
  'event.event_at time_form': ['YYYY-MM-DDTHH:MM:SSZ'],
  'response.created_at time_form': ['YYYY-MM-DDTHH:MM:SSZ'],
  'response.updated_at time_form': ['YYYY-MM-DDTHH:MM:SSZ'],
  'slot.start_date time_form': ['YYYY-MM-DDTHH:MM:SS±HH:MM'],
  'slot.end_date time_form': ['YYYY-MM-DDTHH:MM:SS±HH:MM'],
}

/** The message of each kind of observation that a person should know of. */
const messages: Partial<Readonly<Record<ObservationKind, (path: string, thing: string) => string>>> = {
  value: (path, thing) => `${fieldOf(path)} = ${thing}`,
  time_form: (path, thing) => `${fieldOf(path)} in the form ${thing}`,
  sent_as: (path, thing) => `${fieldOf(path)} sent as ${thing}`,
  unknown_field: (path, thing) => `a field of the ${path} that the specification does not name, ${thing},`,
  duplicate_key: (_, thing) => `a key that stands twice in one object, ${thing},`,
  header: (path, thing) => `the header ${thing} of lists of ${path}`,
}

/**
 * What was seen for the first time and a person should know. Nothing of a resource (events, responses) of which
 * nothing had been observed before: then everything is new.
 */
export function firstSeen(
  counted: readonly Observation[],
  seen: readonly Observation[],
): readonly Observation[] {
  const known = new ObservationSet(counted)
  const begun = new Set(counted.filter(({ kind }) => kind === 'sent').map(resourceOf))
  return seen.filter(
    (observation) =>
      observation.kind in messages &&
      begun.has(resourceOf(observation)) &&
      !known.has(observation) &&
      specified[`${observation.path} ${observation.kind}`]?.includes(observation.value) !== true,
  )
}

/** One line a matter. */
export function driftWarnings(news: readonly Observation[]): readonly string[] {
  const lines = news.map(
    (observation) => `${describe(observation)} seen for the first time${placeOf(observation)}`,
  )
  const more = lines.length - TOLD
  if (more <= 0) return lines
  return [
    ...lines.slice(0, TOLD),
    `… and ${more} more things seen for the first time; ${commandName()} observations lists them`,
  ]
}

function describe({ path, kind, value }: Observation): string {
  const thing = words[value] ?? `\`${value}\``
  return messages[kind]?.(path, thing) ?? `${path} ${kind} ${thing}`
}

const words: Readonly<Record<string, string>> = {
  [WITHHELD]: 'a value that is not kept (long, or personal),',
  [OTHER_VALUES]: 'more values than are counted separately',
}

const items: Readonly<Record<string, string>> = { event: 'an event', response: 'a response', slot: 'a slot' }

function placeOf({ path }: Observation): string {
  const item = items[path.split('.')[0] ?? '']
  return item === undefined ? '' : ` in ${item}`
}

function fieldOf(path: string): string {
  return `\`${path.slice(path.indexOf('.') + 1)}\``
}

/** Events and their list are one resource, all else is of the responses. */
function resourceOf({ path }: Observation): 'events' | 'responses' {
  return path === 'event' || path === 'events' || path.startsWith('event.') ? 'events' : 'responses'
}
