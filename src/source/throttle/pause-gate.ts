/** What a source waits behind while the service has asked for a pause (pause.ts). */
import { onAbort, raceAbort } from '../../common/abort.ts'
import { RequestSkippedError } from '../../common/errors.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Pause, Pauses } from './pause.ts'

/** A shorter pause is over before another run would have done anything. */
const MIN_SUSPENSION_MS = 1000

/** The turn of a run among others. */
export interface SuspendableTurn {
  /** From `suspend` to the end of `resume`. */
  readonly isSuspended: boolean
  /** Another run may have the turn meanwhile. A second call does nothing. */
  suspend(): void
  /** Waits for a turn again, or for the end. */
  resume(): Promise<void>
  /** The source has ended, by its deadline or a signal: what the run still writes, its end, waits for no turn. */
  end(): void
}

export interface PauseGateOptions {
  /** Of the account, at the service that all its sources share. */
  readonly pause?: Pause
  readonly clock?: Clock
  readonly maxWaitMs?: () => number
  /** Given to others for the time of a pause. */
  readonly turn?: SuspendableTurn | null
}

export class PauseGate {
  readonly #pause: Pause
  readonly #clock: Clock
  readonly #turn: SuspendableTurn | null
  /** The longest pause that this source may wait for now, in ms. */
  readonly maxWaitMs: () => number
  readonly #closed = new AbortController()
  /** Ends every wait before a request: the source has ended, or the pause gate is closed permanently. */
  readonly signal: AbortSignal

  constructor(
    lifetime: AbortSignal,
    {
      clock = systemClock,
      pause = new Pauses(clock).of(''),
      maxWaitMs = () => Infinity,
      turn = null,
    }: PauseGateOptions = {},
  ) {
    this.#clock = clock
    this.#pause = pause
    this.#turn = turn
    this.maxWaitMs = maxWaitMs
    this.signal = this.#closed.signal
    // Not AbortSignal.any: each check of such a signal checks all its sources.
    onAbort(lifetime, (reason) => {
      this.#closed.abort(reason)
      this.#turn?.end()
    })
  }

  /** Whether a request must wait: for the end of a pause, or for the turn of its run. */
  get mustWait(): boolean {
    return this.#pause.leftMs > 0 || this.#turn?.isSuspended === true
  }

  /** @returns whether nobody may ask meanwhile */
  pauseFor(ms: number): boolean {
    const isOfAll = this.#pause.extendTo(ms)
    this.#suspendFor(ms)
    return isOfAll
  }

  /** A run that may not wait for so long ends at once, and keeps its turn until then. */
  #suspendFor(ms: number): void {
    if (ms >= MIN_SUSPENSION_MS && ms <= this.maxWaitMs()) this.#turn?.suspend()
  }

  /** No further request of this source starts, and every wait ends with the error: the pause is longer than this run may wait. */
  closePermanently(error: RequestSkippedError): void {
    this.#closed.abort(error)
  }

  /** Waits until the pause is over. @throws the reason when the source ends or the gate is closed permanently */
  async wait(): Promise<void> {
    for (;;) {
      this.signal.throwIfAborted()
      const left = this.#pause.leftMs
      if (left <= 0) {
        if (this.#turn?.isSuspended !== true) return
        // guard: deadline of a suspended run
        await raceAbort(this.#turn.resume(), this.signal)
        continue
      }
      // The pause may be the answer to another source, which may wait for longer.
      // guard: pause of another run
      if (left > this.maxWaitMs()) this.closePermanently(pausedByOther(left))
      this.#suspendFor(left)
      await this.#clock.sleep(Math.ceil(left), this.signal)
    }
  }
}

function pausedByOther(leftMs: number): RequestSkippedError {
  const until = new Date(Date.now() + leftMs)
  return new RequestSkippedError(
    `The service has asked to come back at ${until.toISOString()} (Retry-After), later than this run may wait: no request was sent.`,
    until,
  )
}
