import pLimit from 'p-limit'
import {
  DatabaseError,
  HeadcountError,
  InterruptedError,
  AuthenticationError,
  LeaseLostError,
  RequestSkippedError,
  OutageError,
  RetryLaterError,
  RunTimeoutError,
  TransactionFailedError,
  UnreachableError,
} from '../../common/errors.ts'
import { type Clock, systemClock } from '../../common/clock.ts'
import { RefusedError, type Turn } from '../../source/retry/rejected-request.ts'
import { DeferredEvents, maxRejections } from './deferred-events.ts'
import { Outage, OUTAGE_LIMITS } from './outage.ts'
import { readingRounds } from '../select/read-order.ts'
import type { LastOutcome } from '../select/read-order.ts'
import type { RunContext } from '../run-context.ts'

/**
 * Refusals of the key, one after the other, that show that it is the key and not the event. An event that was refused
 * when it was last read says nothing new of the key: counted, a few such events would end every run for good.
 */
const MAX_REJECTED_KEYS = 3

/**
 * Places for events, for each place for a request: an event whose request waits to be tried again, or whose rows
 * wait for the database, must not keep the service idle.
 */
const EVENTS_PER_REQUEST = 2

/** What reading needs of a run. */
type VisitContext = Pick<RunContext, 'signal' | 'stop'> & {
  readonly settings: Pick<RunContext['settings'], 'concurrency' | 'logger' | 'outage'>
  readonly source: { readonly counts: Pick<RunContext['source']['counts'], 'requests' | 'refused'> }
}

/** What is done with each event. */
export interface EventVisitor<Event> {
  /**
   * @param answered to be called once the service has answered: the key is good, whatever becomes of the answer. The
   *   end of a long list may come after refusals that came after its beginning.
   * @param turn with which the source is asked
   */
  read(event: Event, answered: () => void, turn: Turn): Promise<void>
  /** What is known of its last read. */
  before(event: Event): LastOutcome | undefined
  /** The event could not be read. May throw on what is no failure of the service. */
  failed(event: Event, error: unknown): void
  /** Called after each event, whatever came of it. */
  done(): void
  /** How long events are waited for that the service refuses while nothing else is left to ask for. */
  readonly patienceMs: number
}

/**
 * Reads events in rounds, a bounded number at once, until all were tried or an error shows that no further one can be
 * read or stored: then everything under way is stopped, and the signal has the reason. The event that showed it has
 * failed when the service answered so: the next run goes by that.
 */
export async function forEachEvent<Event>(
  { settings, signal, stop, source }: VisitContext,
  events: readonly Event[],
  each: EventVisitor<Event>,
  clock: Clock = systemClock,
): Promise<void> {
  const { concurrency, logger } = settings
  const place = pLimit(concurrency * EVENTS_PER_REQUEST)
  const limits = { ...OUTAGE_LIMITS, ...settings.outage }
  using outage = new Outage({ limits, concurrency, signal, logger, end: stop })
  const deferred = new DeferredEvents<Event>({ clock, signal, patienceMs: each.patienceMs })
  let refusals = 0

  function answered(): void {
    refusals = 0
    outage.answered()
    deferred.answered()
  }

  /** Gives the refusal when the event has to go to the back of the queue. */
  async function tryOne(event: Event, turn: Turn): Promise<RefusedError | null> {
    if (signal.aborted) return null
    try {
      using _ = await outage.admit()
      await each.read(event, answered, turn)
    } catch (error) {
      if (error instanceof RefusedError && !signal.aborted) {
        // It answers, be it with a refusal.
        outage.answered()
        return error
      }
      // Requests that wait behind a pause are told first, and stop the rest: the event that brought it is noted even so.
      if (isToldToPause(error) && error !== signal.reason) each.failed(event, error)
      if (signal.aborted) return null
      if (!(error instanceof HeadcountError) || endsRun(error)) throw error
      each.failed(event, error)
      noteOutage(outage, error, each.before(event))
      if (!(error instanceof UnreachableError)) deferred.answered()
      if (isNewRejection(error, each.before(event))) refusals += 1
      if (refusals >= MAX_REJECTED_KEYS) throw error
    }
    each.done()
    return null
  }

  async function inPlace(event: Event, turn: Turn): Promise<RefusedError | null> {
    return place(() =>
      tryOne(event, turn).catch((error: unknown) => {
        stop(error)
        return null
      }),
    )
  }

  async function inTurn(event: Event): Promise<void> {
    const refusal = await inPlace(event, 'first')
    if (refusal !== null) deferred.add(event, refusal)
  }

  for (const round of readingRounds(events, (event) => each.before(event))) {
    await Promise.all(round.map(inTurn))
    if (deferred.count === 0 || signal.aborted) continue
    logDeferred(logger, deferred, { clock, patienceMs: each.patienceMs })
    await deferred.readAll({
      mostRefusals: maxRejections(source.counts),
      again: (event) => inPlace(event, 'again'),
      failed: (event, error) => {
        each.failed(event, error)
        each.done()
      },
    })
  }
}

function logDeferred(
  logger: RunContext['settings']['logger'],
  deferred: DeferredEvents<unknown>,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): void {
  const events = deferred.count
  const waitMs = deferred.notBefore - clock.now()
  const asks = waitMs <= 0 ? '' : ` It asks to wait until ${new Date(Date.now() + waitMs).toISOString()}.`
  logger.info(
    { events },
    `The service refused ${events === 1 ? 'one event' : `${events} events`} twice; all others were asked for. ` +
      `Asking again, for at most ${patienceMs / 1000} s without an answer.${asks}`,
  )
}

function isToldToPause(error: unknown): boolean {
  return error instanceof RetryLaterError && !(error instanceof RequestSkippedError)
}

/** An event that could not be read last time either says nothing new of the service; any answer says that it is there. */
function noteOutage(outage: Outage, error: HeadcountError, before: LastOutcome | undefined): void {
  if (!(error instanceof UnreachableError)) outage.answered()
  else if (before?.error_code !== error.code) outage.failed(error)
}

function isNewRejection(error: unknown, before: LastOutcome | undefined): boolean {
  return error instanceof AuthenticationError && before?.error_code !== error.code
}

/**
 * Errors after which no further event can be read or written: the database's, ours, and the run's own end. A transaction
 * that failed is that of one event, whose list was a batch of its own: with other events it would have stopped the run.
 */
export function endsRun(error: HeadcountError): boolean {
  if (error instanceof TransactionFailedError) return false
  return (
    error instanceof DatabaseError ||
    error instanceof LeaseLostError ||
    error instanceof InterruptedError ||
    isEarlyEnd(error)
  )
}

/** An end that leaves a part done: what was read counts, the rest waits for the next time. */
export function isEarlyEnd(error: unknown): error is HeadcountError {
  return error instanceof RetryLaterError || error instanceof RunTimeoutError || error instanceof OutageError
}
