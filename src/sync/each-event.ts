import pLimit from 'p-limit'
import {
  DatabaseError,
  HeadcountError,
  InterruptedError,
  KeyRefusedError,
  LeaseLostError,
  PausedByServiceError,
  RunDeadlineError,
} from '../errors.ts'
import type { OpenRun } from './opening.ts'

/** Refusals of the key, one after the other, that show that it is the key and not the event. */
const REFUSALS_THAT_END = 3

/**
 * Places for events, for each place for a request: an event whose request waits to be tried again, or whose rows
 * wait for the database, must not keep the service idle.
 */
const EVENTS_PER_REQUEST = 2

/** What is done with each event. */
export interface EachEvent<Event> {
  read(event: Event): Promise<void>
  /** The event could not be read. May throw on what is no failure of the service. */
  failed(event: Event, error: unknown): void
  /** Called after each event, whatever came of it. */
  done(): void
}

/**
 * Reads events, a bounded number at once, until all were tried or an error shows that no further one can be
 * read or stored: then everything under way is stopped, and the signal has the reason.
 */
export async function readEachEvent<Event>(
  { settings, signal, stop }: Pick<OpenRun, 'settings' | 'signal' | 'stop'>,
  events: readonly Event[],
  each: EachEvent<Event>,
): Promise<void> {
  const place = pLimit(settings.concurrency * EVENTS_PER_REQUEST)
  let refusals = 0

  async function tryOne(event: Event): Promise<void> {
    if (signal.aborted) return
    try {
      await each.read(event)
      refusals = 0
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof KeyRefusedError) refusals += 1
      if (endsAll(error) || refusals >= REFUSALS_THAT_END) throw error
      each.failed(event, error)
    }
    each.done()
  }

  await Promise.all(events.map((event) => place(() => tryOne(event).catch((error: unknown) => stop(error)))))
}

/** Errors after which no further event can be read or written: the database's, ours, and the run's own end. */
function endsAll(error: unknown): boolean {
  if (!(error instanceof HeadcountError)) return true
  return (
    error instanceof DatabaseError ||
    error instanceof LeaseLostError ||
    error instanceof InterruptedError ||
    isEarlyEnd(error)
  )
}

/** An end that leaves a part done: what was read counts, the rest waits for the next time. */
export function isEarlyEnd(error: unknown): error is HeadcountError {
  return error instanceof PausedByServiceError || error instanceof RunDeadlineError
}
