import type { EventItem, RejectItem } from '../db/tables.ts'
import { ForeignOriginError, NotFoundError, UsageError } from '../errors.ts'
import { normaliseEvents } from '../normalise/events.ts'
import { NORMALISER_VERSION } from '../normalise/version.ts'
import { judgeDigest } from './digests.ts'
import type { DigestVerdict } from './digests.ts'
import type { Identity } from './identity.ts'
import { EVENTS_LIST } from '../load/state.ts'
import type { OpenRun } from './opening.ts'

/** The list of events as the service answers it now. */
export interface EventsList {
  readonly events: readonly EventItem[]
  /** Ids that the service lists: those of the events, and of rejects whose id can be read. */
  readonly ids: readonly string[]
  readonly rejects: readonly RejectItem[]
  /** Items as sent. */
  readonly length: number
  readonly setAside: number
  readonly fields: ReadonlySet<string>
  readonly unreadableId: boolean
  readonly incomplete: 'paging' | 'no_end_mark' | null
  readonly digest: string
  readonly verdict: DigestVerdict
}

/**
 * Asks the service who we are, before anything else is read.
 *
 * @throws KeyRefusedError, UnreachableError, ContractError; UsageError when the base address is wrong.
 */
export async function askIdentity(run: OpenRun): Promise<Identity> {
  const { email } = await atBaseAddress(run, '/ping', () => run.source.ping())
  return { email, base_url: run.settings.address }
}

/**
 * Reads the list of events whole. Anything but a complete list is an error, never "no events".
 *
 * @throws as askIdentity.
 */
export async function listEvents(run: OpenRun): Promise<EventsList> {
  using reading = await atBaseAddress(run, '/events', () => run.source.events())
  const payload = reading.payload()
  const { rows, rejects, setAside, warnings, fields, unreadableId } = normaliseEvents(payload)
  for (const warning of [...reading.warnings, ...warnings]) run.tally.warn(`List of events: ${warning}`)
  return {
    events: rows,
    ids: [...rows.map(({ id }) => id), ...rejects.flatMap(({ id }) => id ?? [])],
    rejects,
    length: payload.items.length,
    setAside,
    fields,
    unreadableId,
    incomplete: reading.holds,
    digest: reading.digest(NORMALISER_VERSION),
    verdict: judgeDigest(reading, run.states.get(EVENTS_LIST)),
  }
}

/** A wrong base address shows as 404 or as a redirect elsewhere: that is for the user to mend, not an empty account. */
async function atBaseAddress<T>(run: OpenRun, path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof ForeignOriginError) {
      throw new UsageError(
        `${error.message}\nCheck the base address (--base-url, HEADCOUNT_BASE_URL): it is ${run.settings.address}, and ` +
          `${path} is expected right below it. It usually ends in /api/v1.`,
        { cause: error },
      )
    }
    throw error
  }
}
