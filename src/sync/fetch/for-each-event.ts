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
import { type Clock, systemClock } from '../../source/throttle/clock.ts'
import { RejectedRequestError, type QueueState } from '../../source/retry/rejected-request.ts'
import { DeferredEvents, maxRejections } from './deferred-events.ts'
import { Outage, OUTAGE_LIMITS } from './outage.ts'
import { readingRounds } from '../select/read-order.ts'
import type { LastOutcome } from '../select/read-order.ts'
import type { RunContext } from '../run-context.ts'

/**
 * Rejections of the key, one after the other, that show that it is the key and not the event. An event whose last read was
 * rejected too is not counted: a few such events would end every run.
 */
const MAX_REJECTED_KEYS = 3

/**
 * Events at once, for each request at once: an event whose request waits for a retry, or whose rows wait for the
 * database, must not keep the service idle.
 */
const EVENTS_PER_REQUEST = 2

/** What a pass over the events needs of a run. */
type VisitContext = Pick<RunContext, 'signal' | 'stop'> & {
  readonly settings: Pick<RunContext['settings'], 'concurrency' | 'logger' | 'outage'>
  readonly source: { readonly counts: Pick<RunContext['source']['counts'], 'requests' | 'rejected'> }
}

/** What is done with each event. */
export interface EventVisitor<Event> {
  /**
   * @param onResponse to be called once the service has responded: the key is good, whatever becomes of the response.
   *   The end of a long list may come after rejections that came after its beginning.
   * @param turn with which the source is asked
   */
  read(event: Event, onResponse: () => void, turn: QueueState): Promise<void>
  /** What came of its last read. */
  before(event: Event): LastOutcome | undefined
  /** The event could not be read. May throw on what is no failure of the service. */
  failed(event: Event, error: unknown): void
  /** Called after each event, whatever came of it. */
  done(): void
  /** How long rejected events are waited for while nothing else is left to request. */
  readonly patienceMs: number
}

/**
 * Reads events in rounds, a bounded number at once, until all were tried or an error shows that no further one can be
 * read or stored: then everything under way is stopped, and the signal has the reason. The event that showed it has
 * failed when the service responded so: the next run goes by that.
 */
export async function forEachEvent<Event>(
  context: VisitContext,
  events: readonly Event[],
  visitor: EventVisitor<Event>,
  clock: Clock = systemClock,
): Promise<void> {
  const { settings, signal, stop, source } = context
  const { concurrency, logger } = settings
  const { patienceMs } = visitor
  const limits = { ...OUTAGE_LIMITS, ...settings.outage }
  using outage = new Outage({ limits, concurrency, signal, logger, end: stop })
  const deferred = new DeferredEvents<Event>({ clock, signal, patienceMs })
  const visits = new Visits(context, visitor, outage, deferred)
  for (const round of readingRounds(events, (event) => visitor.before(event))) {
    await Promise.all(round.map((event) => visits.first(event)))
    if (deferred.count === 0 || signal.aborted) continue
    logDeferred(logger, deferred, { clock, patienceMs })
    await deferred.readAll({
      maxRejections: maxRejections(source.counts),
      again: (event) => visits.visit(event, 'requeued'),
      failed: (event, error) => {
        visitor.failed(event, error)
        visitor.done()
      },
    })
  }
}

/** The visits of one pass over the events. */
class Visits<Event> {
  readonly #context: VisitContext
  readonly #visitor: EventVisitor<Event>
  readonly #outage: Outage
  readonly #deferred: DeferredEvents<Event>
  readonly #limit: ReturnType<typeof pLimit>
  #rejectedKeys = 0

  constructor(
    context: VisitContext,
    visitor: EventVisitor<Event>,
    outage: Outage,
    deferred: DeferredEvents<Event>,
  ) {
    this.#context = context
    this.#visitor = visitor
    this.#outage = outage
    this.#deferred = deferred
    this.#limit = pLimit(context.settings.concurrency * EVENTS_PER_REQUEST)
  }

  async first(event: Event): Promise<void> {
    const rejection = await this.visit(event, 'queued')
    if (rejection !== null) this.#deferred.add(event, rejection)
  }

  /** Gives the rejection when the event has to go to the back of the queue. */
  async visit(event: Event, turn: QueueState): Promise<RejectedRequestError | null> {
    return this.#limit(async () => {
      try {
        return await this.#attempt(event, turn)
      } catch (error) {
        this.#context.stop(error)
        return null
      }
    })
  }

  async #attempt(event: Event, turn: QueueState): Promise<RejectedRequestError | null> {
    const { signal } = this.#context
    if (signal.aborted) return null
    try {
      using _ = await this.#outage.admit()
      await this.#visitor.read(event, () => this.#onResponse(), turn)
    } catch (error) {
      if (error instanceof RejectedRequestError && !signal.aborted) {
        // A rejection is a response.
        this.#outage.answered()
        return error
      }
      // Requests that wait behind a pause fail first, and stop the rest: the event that brought it is recorded even so.
      if (isPause(error) && error !== signal.reason) this.#visitor.failed(event, error)
      if (signal.aborted) return null
      this.#onFailure(event, error)
    }
    this.#visitor.done()
    return null
  }

  #onResponse(): void {
    this.#rejectedKeys = 0
    this.#outage.answered()
    this.#deferred.answered()
  }

  /** @throws what ends the run */
  #onFailure(event: Event, error: unknown): void {
    if (!(error instanceof HeadcountError) || endsRun(error)) throw error
    this.#visitor.failed(event, error)
    const before = this.#visitor.before(event)
    // guard: a service that is gone
    recordOutage(this.#outage, error, before)
    if (!(error instanceof UnreachableError)) this.#deferred.answered()
    if (isNewRejection(error, before)) this.#rejectedKeys += 1
    // guard: three refusals
    if (this.#rejectedKeys >= MAX_REJECTED_KEYS) throw error
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

function isPause(error: unknown): boolean {
  return error instanceof RetryLaterError && !(error instanceof RequestSkippedError)
}

/** An event whose last read failed in the same way shows nothing new; any response shows that the service is there. */
function recordOutage(outage: Outage, error: HeadcountError, before: LastOutcome | undefined): void {
  if (!(error instanceof UnreachableError)) outage.answered()
  // guard: old failures
  else if (before?.error_code !== error.code) outage.failed(error)
}

function isNewRejection(error: unknown, before: LastOutcome | undefined): boolean {
  return error instanceof AuthenticationError && /* guard: old refusals */ before?.error_code !== error.code
}

/**
 * Errors after which no further event can be read or written: the database's, ours, and the run's own end. A transaction
 * that failed is that of one event, whose list was a batch of its own: with other events it would have stopped the run.
 */
export function endsRun(error: HeadcountError): boolean {
  // guard: fault of one list
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
  return (
    error instanceof RetryLaterError ||
    error instanceof RunTimeoutError ||
    /* guard: stored before it went */ error instanceof OutageError
  )
}
