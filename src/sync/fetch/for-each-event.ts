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
import type { ListState } from '../../load/state/sync-state.ts'
import { RejectedRequestError, type QueueState } from '../../source/retry/rejected-request.ts'
import { DeferredEvents, maxRejections } from './deferred-events.ts'
import { Outage, OUTAGE_LIMITS } from './outage.ts'
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

/** The code of a RetryLaterError. */
const PAUSED_BY_SERVICE = 'paused_by_service'

/** How the last read of an event ended; `error_code` is null when it was read. */
export type LastOutcome = Pick<ListState, 'error_code'>

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
   * @param queueState with which the source is asked
   */
  read(event: Event, onResponse: () => void, queueState: QueueState): Promise<void>
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
  using visits = new Visits(context, visitor, clock)
  for (const round of readingRounds(events, (event) => visitor.before(event))) await visits.all(round)
}

/** The visits of one pass over the events. */
class Visits<Event> implements Disposable {
  readonly #context: VisitContext
  readonly #visitor: EventVisitor<Event>
  readonly #clock: Clock
  readonly #outage: Outage
  readonly #deferred: DeferredEvents<Event>
  readonly #limit: ReturnType<typeof pLimit>
  #rejectedKeys = 0

  constructor(context: VisitContext, visitor: EventVisitor<Event>, clock: Clock) {
    const { settings, signal, stop } = context
    const { concurrency, logger } = settings
    this.#context = context
    this.#visitor = visitor
    this.#clock = clock
    const limits = { ...OUTAGE_LIMITS, ...settings.outage }
    this.#outage = new Outage({ limits, concurrency, signal, logger, end: stop })
    this.#deferred = new DeferredEvents({ clock, signal, patienceMs: visitor.patienceMs })
    this.#limit = pLimit(concurrency * EVENTS_PER_REQUEST)
  }

  [Symbol.dispose](): void {
    this.#outage[Symbol.dispose]()
  }

  /** Visits each event once, and then those that were deferred until they are read or have failed. */
  async all(events: readonly Event[]): Promise<void> {
    const left = events.values()
    // Not a promise for each event: what waits lives long, and would keep alive what its visit leaves behind.
    const visitNext = async () => {
      for (const event of left) {
        const rejection = await this.#visit(event, 'queued')
        if (rejection !== null) this.#deferred.add(event, rejection)
      }
    }
    await Promise.all(Array.from({ length: this.#limit.concurrency }, visitNext))
    if (this.#deferred.count === 0 || this.#context.signal.aborted) return
    this.#logDeferred()
    await this.#deferred.readAll({
      maxRejections: maxRejections(this.#context.source.counts),
      again: (event) => this.#limit(() => this.#visit(event, 'requeued')),
      failed: (event, error) => {
        this.#visitor.failed(event, error)
        this.#visitor.done()
      },
    })
  }

  /** Returns the rejection when the event has to go to the back of the queue. */
  async #visit(event: Event, queueState: QueueState): Promise<RejectedRequestError | null> {
    try {
      return await this.#attempt(event, queueState)
    } catch (error) {
      this.#context.stop(error)
      return null
    }
  }

  async #attempt(event: Event, queueState: QueueState): Promise<RejectedRequestError | null> {
    const { signal } = this.#context
    if (signal.aborted) return null
    try {
      using _ = await this.#outage.admit()
      await this.#visitor.read(event, () => this.#onResponse(), queueState)
    } catch (error) {
      if (error instanceof RejectedRequestError && !signal.aborted) {
        // A rejection is a response.
        this.#outage.answered()
        return error
      }
      // Requests that wait behind a pause fail first, and stop the rest: the event that brought it is recorded even so.
      const isPause = error instanceof RetryLaterError && !(error instanceof RequestSkippedError)
      if (isPause && error !== signal.reason) this.#visitor.failed(event, error)
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

  #logDeferred(): void {
    const { count: events, notBefore } = this.#deferred
    const waitMs = notBefore - this.#clock.now()
    const asks = waitMs <= 0 ? '' : ` It asks to wait until ${new Date(Date.now() + waitMs).toISOString()}.`
    this.#context.settings.logger.info(
      { events },
      `The service rejected ${events === 1 ? 'one event' : `${events} events`} twice; all others were requested. ` +
        `Retrying, for at most ${this.#visitor.patienceMs / 1000} s without an answer.${asks}`,
    )
  }
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
 * Errors after which no further event can be read or written: those of the database and of this program, and the end of
 * the run. A TransactionFailedError is the failure of one event, whose list was a batch of its own: in a batch with
 * others it stops the run.
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

/** What ended a reading with a part done; null when nothing did. @throws what else has aborted the signal */
export function earlyEndOf(signal: AbortSignal): HeadcountError | null {
  const ended: unknown = signal.aborted ? signal.reason : null
  if (ended === null || isEarlyEnd(ended)) return ended
  throw ended
}

/** An end after a part of the work: what was read counts, and the rest stays due. */
export function isEarlyEnd(error: unknown): error is HeadcountError {
  return (
    error instanceof RetryLaterError ||
    error instanceof RunTimeoutError ||
    /* guard: stored before it went */ error instanceof OutageError
  )
}

/**
 * Puts events in the order of reading. What failed last time is read first: a run that ends early has then at least
 * mended that. What made the service ask for a longer pause than a run may wait comes last, in a round of its own: it
 * may do so again, and the others are mirrored by then.
 */
function readingRounds<Event>(
  events: readonly Event[],
  before: (event: Event) => LastOutcome | undefined,
): readonly (readonly Event[])[] {
  const codeOf = (event: Event) => before(event)?.error_code ?? null
  const asked = (event: Event) => /* guard: paused last */ codeOf(event) === PAUSED_BY_SERVICE
  const hasFailed = (event: Event) => codeOf(event) !== null
  const others = events.filter((event) => !asked(event))
  return [
    /* guard: failed first */ [...others.filter(hasFailed), ...others.filter((event) => !hasFailed(event))],
    events.filter(asked),
  ]
}
