import { commandName } from '../../common/command-name.ts'
import type { EventItem } from '../../common/schema/tables.ts'
import { didYouMeanEvent } from '../../common/text/did-you-mean.ts'
import { UnknownEventError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import { liveEvents } from '../../load/write/events.ts'
import type { EventList } from '../fetch/event-list.ts'
import type { ReadContext } from '../run-context.ts'

/**
 * Events that are listed and live, and whose record as listed now cannot be stored: the live one stays, and their
 * responses are read like any other's. What was never stored has no live record for responses to hang on.
 */
export async function rejectedButStored(
  { mirror: { database, account } }: Pick<ReadContext, 'mirror'>,
  list: EventList,
): Promise<readonly EventItem[]> {
  const stored = new Set(list.rows.map(({ id }) => id))
  const rejected = list.ids.filter((id) => !stored.has(id))
  // guard: events with a rejected record
  return rejected.length === 0 ? [] : liveEvents(database.kysely, account.id, rejected)
}

/**
 * @param readable the events of the list whose responses can be read
 * @throws UnknownEventError when a named event is not among them.
 */
export function requireKnownEvents(
  named: ReadonlySet<string> | null,
  list: EventList,
  readable: readonly EventItem[],
): void {
  const known = new Set(readable.map(({ id }) => id))
  const unknown = [...(named ?? [])].filter((id) => !known.has(id))
  if (unknown.length === 0) return
  const listed = new Set(list.ids)
  const rejected = unknown.filter((id) => listed.has(id))
  const missing = unknown.filter((id) => !listed.has(id))
  const lines: string[] = []
  if (missing.length > 0) {
    const ids = missing.map((id) => quote(id) + didYouMeanEvent(id, readable))
    lines.push(`The service lists no event ${ids.join(', ')}.`)
  }
  if (rejected.length > 0)
    lines.push(
      `Listed, but the listed item is rejected: event ${rejected.map(quote).join(', ')}. Nothing of it is in the mirror; see why with: ${commandName()} rejects.`,
    )
  lines.push(`Nothing was written. See the ids with: ${commandName()} query "select id, title from events".`)
  throw new UnknownEventError(lines.join(' '))
}
