import { CrossOriginError, NotFoundError, UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import { EventListReader } from '../../normalise/list/event-list.ts'
import { describeList, redactRejects } from './list-facts.ts'
import { keySha256 } from '../open/find-account.ts'
import type { ResolvedOptions } from '../options.ts'
import type { ReadContext } from '../run-context.ts'
import type { Identity } from '../../load/stored-identity.ts'
import type { EventList } from './event-list.ts'

/** What the account is read with: by a run before it has a mirror, and by `verify`. */
export type FetchContext = Pick<ReadContext, 'source' | 'settings' | 'initial' | 'stats'>

/** Who the account is, by what the service says and by what is set. */
export function identityOf(
  { address, apiKey }: Pick<ResolvedOptions, 'address' | 'apiKey'>,
  { email }: Pick<Identity, 'email'>,
): Identity {
  return { email, base_url: address, key_sha256: keySha256(apiKey) }
}

/**
 * Asks the service who we are, before anything else is read.
 *
 * @throws AuthenticationError, UnreachableError, InvalidResponseError; UsageError when the base address is wrong.
 */
export async function fetchIdentity(run: FetchContext): Promise<Identity> {
  return identityOf(run.settings, await explainBaseUrlErrors(run, '/ping', () => run.source.ping()))
}

/**
 * Reads the event list whole. Anything but a complete list is an error, never "no events".
 *
 * @param loaded until then `run.initial.states` may be unknown
 * @throws as `fetchIdentity`.
 */
export async function fetchEventList(
  run: FetchContext,
  loaded: Promise<void> = Promise.resolve(),
): Promise<EventList> {
  run.stats.report('events')
  using reading = await explainBaseUrlErrors(run, '/events', () => run.source.events())
  const reader = new EventListReader(reading)
  await reading.readThrough(reader)
  const { rows, rejects, ...facts } = reader.finish()
  await loaded
  const list = describeList(reading, facts, rows.length, run.initial.states.get(EVENT_LIST_KEY))
  for (const warning of list.warnings) run.stats.warn(`The event list: ${warning}`)
  const ids = [...rows.map(({ id }) => id), ...rejects.flatMap(({ id }) => id ?? [])]
  return { ...list, rows, rejects: redactRejects(rejects, run.settings), ids }
}

/** A wrong base address shows as 404 or as a redirect elsewhere: that is for the user to correct, and is no empty account. */
async function explainBaseUrlErrors<T>(run: FetchContext, path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof CrossOriginError) {
      throw new UsageError(
        `${error.message}\nCheck the base address (${optionName('baseUrl')}): it is ${run.settings.address}, and ` +
          `${path} is expected right below it. It usually ends in /api/v1.`,
        { cause: error },
      )
    }
    throw error
  }
}
