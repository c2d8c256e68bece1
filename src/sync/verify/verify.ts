import { requireWholeNumber } from '../../common/options/amounts.ts'
import type { EventItem } from '../../common/schema/tables.ts'
import type { OnFolderInUse } from '../../db/connect.ts'
import { toInterruptedError } from '../../common/abort.ts'
import { HeadcountError, AuthenticationError } from '../../common/errors.ts'
import { movedWarning } from '../../load/state/moved.ts'
import { compareUtf8 } from '../../common/text/collation.ts'
import { compareEventRows } from './compare-events.ts'
import { compareResponseLists } from './compare-responses.ts'
import { compareIdentity } from '../open/account-identity.ts'
import { fetchIdentity, fetchEventList } from '../fetch/fetch-events.ts'
import type { EventList } from '../fetch/event-list.ts'
import { observedOf, resolveOptions, type RunOptions } from '../options.ts'
import { resentRequests } from '../open/open-source.ts'
import { rejectedButStored, requireKnownEvents } from '../select/rejected-events.ts'
import { openRun } from '../open/open-run.ts'
import type { ReadContext } from '../run-context.ts'
import { observeRun, type RunOutcome } from '../../telemetry/runs.ts'
import { notFoundError } from '../write/delete-events.ts'
import { VerifyStats, type VerifyContext, type VerifyReport } from './report.ts'

/** Of so many lists one is read and compared another way than a sync does. */
const LISTS_PER_THOROUGH = 100

/** What `verify` needs to know: as a run, but for what only writing needs. */
export type VerifyOptions = Pick<
  RunOptions,
  | 'database'
  | 'pool'
  | 'pglite'
  | 'account'
  | 'apiKey'
  | 'baseUrl'
  | 'allowHttp'
  | 'proxy'
  | 'concurrency'
  | 'requestTimeoutMs'
  | 'runTimeoutMs'
  | 'maxBodyBytes'
  | 'inMemoryBytes'
  | 'chunkBytes'
  | 'events'
  | 'personKey'
  | 'leaveOut'
  | 'pseudonymise'
  | 'signal'
  | 'logger'
  | 'onProgress'
> & {
  /** Compares the responses to so many events, chosen at random; of all when not given. */
  readonly sample?: number
  /** Reads and compares every list another way than a sync does; one in a hundred, chosen at random, when not given. */
  readonly thorough?: boolean
  /** The chance that chooses, from 0 to below 1. */
  readonly random?: () => number
  /** @internal */
  readonly onFolderInUse?: OnFolderInUse
}

/**
 * Reads the service again and compares every row with the live tables. Writes nothing: no run is recorded, no
 * account held, no schema changed; a run may go on meanwhile.
 *
 * A list whose digest is the stored one did not change since the last sync: whatever differs is a difference. One
 * whose digest is another is read once more at the end, for a sync may have run; when it is still another it is
 * reported as changed. A list without a stored digest (something of it is held) that differs beyond the held ids is
 * undecided: whether the service or the mirror changed is unknown, and the next sync compares it row by row.
 *
 * @returns the report, also when there are differences or not all could be read.
 * @throws HeadcountError for a fatal cause: refused key, service or database out of reach, broken contract, another
 * account, a schema of another version, wrong options, interruption.
 */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const settings = resolveOptions(options)
  requireWholeNumber('sample', options.sample, 1)
  return observeRun({ mode: 'verify', ...observedOf(settings) }, outcomeOfVerify, async (onPace) => {
    try {
      await using run = await openRun('read', settings)
      onPace(() => run.source.throttle)
      return await compareAll(run, options)
    } catch (cause) {
      const interrupted = 'The comparison was interrupted; nothing is known of the rest.'
      throw toInterruptedError(settings.signal, cause, interrupted)
    }
  })
}

/** What its span says. */
function outcomeOfVerify(report: VerifyReport): RunOutcome {
  return {
    status: report.status,
    report: null,
    attributes: {
      'headcount.verify.differences': report.differences_total,
      'headcount.verify.lists.chosen': report.lists_chosen,
      'headcount.verify.lists.compared': report.lists_compared,
      'headcount.run.requests': report.requests,
      'headcount.run.retries': report.retries,
      'headcount.run.bytes_received': report.bytes_received,
    },
  }
}

/** The steps of a verification. */
async function compareAll(
  run: ReadContext,
  { sample = Infinity, thorough = false, random = Math.random }: VerifyOptions,
): Promise<VerifyReport> {
  const { settings, stats } = run
  const moved = await movedWarning(run.mirror.database.kysely)
  if (moved !== null) stats.warn(moved)
  const identity = await fetchIdentity(run)
  const list = await fetchEventList(run)
  await compareIdentity(run, identity, list.ids, {
    adopt: false,
    consequence: 'Nothing was written: the next sync would go on with the new one.',
  })
  const readable = [...list.rows, ...(await rejectedButStored(run, list))]
  requireKnownEvents(settings.events, list, readable)
  const named = readable.filter(({ id }) => settings.events?.has(id) ?? true)
  const chosen = choose(named, sample, random)
  const inSql = thorough ? chosen : choose(chosen, Math.ceil(chosen.length / LISTS_PER_THOROUGH), random)
  const verification = {
    ...run,
    found: new VerifyStats(stats),
    thorough: new Set(inSql.map(({ id }) => id)),
  }
  stats.events.listed = readable.length
  stats.events.due = chosen.length
  const areCompared = await compareEventRows(verification, list)
  const notFound = await compareResponseLists(verification, chosen)
  if (!areCompared || notFound.length > 0) await recheckEventList(verification, areCompared, notFound)
  return reportOf(verification)
}

/**
 * Reads the event list once more: a sync may have stored it meanwhile, and what the service did not know may
 * be listed no longer.
 */
async function recheckEventList(
  verification: VerifyContext,
  areCompared: boolean,
  notFound: readonly EventItem[],
): Promise<void> {
  const { found, stats, signal } = verification
  const list = signal.aborted ? null : await listOrFailure(verification)
  if (list !== null && !areCompared) await compareEventRows(verification, list)
  const stillListed = new Set(list?.ids)
  for (const { id } of notFound) {
    if (list !== null && !stillListed.has(id)) found.lists.changed.push(id)
    else stats.fail(id, notFoundError(id))
  }
}

async function listOrFailure(verification: VerifyContext): Promise<EventList | null> {
  try {
    return await fetchEventList(verification)
  } catch (error) {
    const isFinal = !(error instanceof HeadcountError) || error instanceof AuthenticationError
    if (isFinal || verification.signal.aborted) throw error
    verification.stats.fail(null, error)
    return null
  }
}

function reportOf({ mirror, source, settings, stats, found }: VerifyContext): VerifyReport {
  return {
    account: mirror.account.name,
    status: found.status,
    duration_ms: Math.round(performance.now() - stats.startedMs),
    // In the order of the events; within one as they were found. Lists come in as the service answers.
    differences: found.listed.toSorted((one, other) => compareUtf8(one.event_id, other.event_id)),
    differences_total: found.total,
    lists_chosen: stats.events.due,
    lists_compared: found.lists.compared,
    lists_thorough: found.lists.thorough,
    lists_changed: found.lists.changed.toSorted(),
    lists_undecided: found.lists.undecided.toSorted(),
    lists_never_read: found.lists.neverRead.toSorted(),
    lists_failing: found.lists.failing.toSorted(),
    events_changed: found.events === null && !found.eventsUndecided,
    events_undecided: found.eventsUndecided,
    events_compared: found.events ?? 0,
    responses_compared: found.responses,
    held: found.kept.held,
    unconfirmed: found.kept.unconfirmed,
    rejected: found.kept.rejected,
    requests: source.counts.requests,
    retries: resentRequests(source),
    bytes_received: source.counts.bytesReceived,
    warnings: stats.warnings.map(settings.redact),
    errors: stats.listedErrors,
    errors_total: stats.errors.length,
  }
}

/** Selection sampling: each item is taken with the probability (missing in the sample) / (items left). */
function choose<Item>(items: readonly Item[], sample: number, random: () => number): readonly Item[] {
  let wanted = sample
  return items.filter((_, index) => {
    const isTaken = random() * (items.length - index) < wanted
    if (isTaken) wanted -= 1
    return isTaken
  })
}
