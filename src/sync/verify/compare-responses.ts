import type { EventItem } from '../../common/schema/tables.ts'
import { HeadcountError, NotFoundError } from '../../common/errors.ts'
import { suppressionsVersion } from '../../load/state/suppressions.ts'
import { readStates } from '../../load/state/sync-state.ts'
import type { QueueState } from '../../source/retry/rejected-request.ts'
import { PATIENCE_MS } from '../fetch/deferred-events.ts'
import { earlyEndOf, forEachEvent } from '../fetch/for-each-event.ts'
import { bufferList, type ListContext, type ResponseList } from '../fetch/response-list.ts'
import { StreamedResponses } from '../fetch/streamed-responses.ts'
import { openSuppressions } from '../open/suppressions.ts'
import { BatchQueue } from '../write/batch-queue.ts'
import { compareInSnapshot, type FetchedEvent, type ListVerdict } from './compare-in-snapshot.ts'
import type { VerifyContext } from './report.ts'

/** Rows of a comparison are written by no run. */
const NO_RUN = '0'
/** Batches of lists compared at once: there is room for the caller's own statements in a pool of three connections. */
const MAX_COMPARISONS = 2

/** Events without a verdict after a pass. */
interface Inconclusive {
  readonly notCompared: readonly (readonly [EventItem, Exclude<ListVerdict, { is: 'compared' }>])[]
  readonly notFound: readonly EventItem[]
}

/**
 * Compares the responses to the chosen events. What is no longer as the last sync found it is looked at a second
 * time, for a sync may have run meanwhile.
 *
 * @returns the events that the service does not know (404 or 410).
 */
export async function compareResponseLists(
  verification: VerifyContext,
  chosen: readonly EventItem[],
): Promise<readonly EventItem[]> {
  const { found, stats } = verification
  verification.stats.report('comparing')
  const first = await runPass(verification, chosen, () => (stats.events.done += 1))
  const again = [...first.notCompared.map(([event]) => event), ...first.notFound]
  const second = verification.signal.aborted ? first : await runPass(verification, again, () => undefined)
  for (const [{ id }, verdict] of second.notCompared) {
    if (verdict.is === 'never_read') found.lists.neverRead.push(id)
    else {
      found.lists[verdict.is].push(id)
      found.kept.held += verdict.held
      found.kept.unconfirmed += verdict.unconfirmed
      if (verdict.isFailing) found.lists.failing.push(id)
    }
  }
  return second.notFound
}

/** Looks at each event once. An end that the service or the deadline sets is noted; what was compared counts. */
async function runPass(
  verification: VerifyContext,
  events: readonly EventItem[],
  count: () => void,
): Promise<Inconclusive> {
  const { mirror, stats, signal, settings, stop } = verification
  const { kysely } = mirror.database
  const states = await readStates(kysely, mirror.account.id)
  const version = await suppressionsVersion(kysely, mirror.account.id)
  const { suppressions } = await openSuppressions(kysely, mirror.account, settings.personKey)
  const notCompared: [EventItem, Exclude<ListVerdict, { is: 'compared' }>][] = []
  const notFound: EventItem[] = []
  const compare = async (lists: readonly FetchedEvent[]) => {
    for (const [event, verdict] of await compareInSnapshot(verification, lists, version))
      if (verdict.is === 'compared') addResult(verification, event, verdict)
      else notCompared.push([event, verdict])
  }
  await using batches = new BatchQueue<FetchedEvent>({
    maxRows: settings.batchRows,
    writers: MAX_COMPARISONS,
    write: compare,
    onFailure: stop,
  })
  await forEachEvent(verification, events, {
    read: async (event, onResponse, queueState) => {
      if (states.get(event.id)?.checked_at == null) notCompared.push([event, { is: 'never_read' }])
      else {
        const withoutPersonal = states.get(event.id)?.retention === 'forgotten'
        const suppressed = suppressions.forEvent(event.id)
        const asked = { event, withoutPersonal, suppressed }
        await fetchToCompare(verification, asked, { onResponse, queueState }, batches, compare)
      }
    },
    before: ({ id }) => states.get(id),
    patienceMs: PATIENCE_MS,
    failed: (event, error) => {
      if (!(error instanceof HeadcountError)) throw error
      if (error instanceof NotFoundError) notFound.push(event)
      else {
        stats.fail(event.id, error)
        settings.logger.debug({ event_id: event.id, code: error.code }, error.message)
      }
    },
    done: () => {
      count()
      verification.stats.report('comparing')
    },
  })
  const ended = earlyEndOf(signal)
  await batches.flush()
  if (ended !== null) stats.fail(null, ended)
  return { notCompared, notFound }
}

function addResult(
  { found, stats, thorough }: VerifyContext,
  { id }: EventItem,
  verdict: ListVerdict & { is: 'compared' },
): void {
  found.add(verdict)
  found.lists.compared += 1
  if (thorough.has(id)) found.lists.thorough += 1
  found.responses += verdict.rows
  stats.responsesRead += verdict.rows
  if (verdict.isFailing) found.lists.failing.push(id)
}

/** Fetches the list and hands it to be compared. One in memory is compared with others; another by itself, while it lies in its file. */
async function fetchToCompare(
  { source, mirror, settings, stats, thorough }: VerifyContext,
  asked: Pick<FetchedEvent, 'event'> & Pick<ListContext, 'withoutPersonal' | 'suppressed'>,
  { onResponse, queueState }: { readonly onResponse: () => void; readonly queueState: QueueState },
  batches: BatchQueue<FetchedEvent>,
  compare: (lists: readonly FetchedEvent[]) => Promise<void>,
): Promise<void> {
  const { event, ...without } = asked
  const { id } = event
  const answer = await source.responses(id, null, queueState)
  onResponse()
  if (answer === 'not_modified') throw new Error('The service was asked without a validator.')
  using reading = answer
  const context = {
    redact: settings.redact,
    signal: settings.signal,
    key: { account: mirror.account.id, event_id: id, run: NO_RUN },
    stored: undefined,
    parseAll: thorough.has(id),
    ...without,
    rules: settings.rules,
  }
  const warn = ({ warnings }: ResponseList) => {
    for (const warning of warnings) stats.warn(`Event ${id}: ${warning}`)
  }
  if (reading.isLarge) {
    const list = await new StreamedResponses(reading, context).readThrough()
    warn(list)
    return await batches.addAlone(() => compare([{ ...asked, list, batch: null }]))
  }
  const list = await bufferList(reading, context)
  warn(list)
  await batches.add({ ...asked, list, batch: list.batch }, { rows: 1 + list.count, bytes: list.bytes })
}
