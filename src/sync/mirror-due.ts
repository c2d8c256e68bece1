import pLimit from 'p-limit'
import {
  DatabaseError,
  HeadcountError,
  InterruptedError,
  KeyRefusedError,
  LeaseLostError,
  NotFoundError,
  PausedByServiceError,
  RunDeadlineError,
} from '../errors.ts'
import { normaliseResponses } from '../normalise/responses.ts'
import { Batches } from './batches.ts'
import { completeList } from './complete-list.ts'
import { judgeDigest } from './digests.ts'
import type { DueEvent } from './due.ts'
import { nextStep } from './freshness.ts'
import type { OpenRun } from './opening.ts'

/** How reading the due events ended. */
export interface Outcome {
  /** Listed events that the service does not know (404 or 410). */
  readonly notFound: readonly DueEvent[]
  /** Why reading ended before every due event was read; null when it did not. */
  readonly endedEarly: HeadcountError | null
}

/** Refusals of the key, one after the other, that show that it is the key and not the event. */
const REFUSALS_THAT_END = 3

/**
 * Places for events, for each place for a request: an event whose request waits to be tried again, or whose rows
 * wait for the loader, must not keep the service idle.
 */
const EVENTS_PER_REQUEST = 2

/** Reads the due events, a bounded number at once, and hands what changed to the loader. */
export async function mirrorDue(run: OpenRun, due: readonly DueEvent[]): Promise<Outcome> {
  const place = pLimit(run.settings.concurrency * EVENTS_PER_REQUEST)
  const batches = new Batches(run)
  const notFound: DueEvent[] = []
  let refusals = 0

  async function mirrorOne(event: DueEvent): Promise<void> {
    if (run.signal.aborted) return
    try {
      await readEvent(run, batches, event)
      refusals = 0
    } catch (error) {
      if (run.signal.aborted) return
      if (error instanceof KeyRefusedError) refusals += 1
      if (endsTheRun(error) || refusals >= REFUSALS_THAT_END) throw error
      if (error instanceof NotFoundError) notFound.push(event)
      else noteFailure(run, event, error)
    }
    run.tally.done += 1
    run.progress('responses')
  }

  run.progress('responses')
  await Promise.all(
    due.map((event) => place(() => mirrorOne(event).catch((error: unknown) => run.stop(error)))),
  )
  const ended: unknown = run.signal.aborted ? run.signal.reason : null
  if (ended !== null && !isEarlyEnd(ended)) {
    await batches.abandon()
    throw ended
  }
  await batches.finish()
  return { notFound, endedEarly: ended }
}

/** Reads one event. An equal digest ends it here; otherwise its rows go to the loader. */
async function readEvent(run: OpenRun, batches: Batches, due: DueEvent): Promise<void> {
  const answer = await run.source.responses(due.event.id)
  if (answer === 'not_modified') throw new Error('The service was asked without a validator.')
  using reading = answer
  if (run.mode !== 'backfill' && judgeDigest(reading, due.state) === 'same') {
    if (due.record !== 'same') await batches.add({ ...due, list: null })
    else noteUnchanged(run, due)
    return
  }
  const list = completeList(reading, normaliseResponses, due.state, run.conceal)
  for (const warning of list.warnings) run.tally.warn(`Event ${due.event.id}: ${warning}`)
  run.tally.responsesRead += list.rows.length
  await batches.add({ ...due, list })
}

function noteUnchanged(run: OpenRun, { event, state }: DueEvent): void {
  const step = nextStep(event, state?.step ?? null, false, run.settings.maxStalenessMs, run.lease.startedAt)
  run.unchanged.push({ event_id: event.id, step })
  run.tally.unchanged += 1
}

/** Notes that an event could not be read; what is no failure of the service is thrown on. */
export function noteFailure(run: OpenRun, { event }: DueEvent, error: unknown): void {
  if (!(error instanceof HeadcountError)) throw error
  run.tally.fail(event.id, error)
  run.failures.push({ event_id: event.id, error_code: error.code, error_message: error.message })
  run.settings.logger.warn({ event_id: event.id, code: error.code }, error.message)
}

/** Errors after which no further event can be read or written: the database's, ours, and the run's own end. */
function endsTheRun(error: unknown): boolean {
  if (!(error instanceof HeadcountError)) return true
  return (
    error instanceof PausedByServiceError ||
    error instanceof RunDeadlineError ||
    error instanceof DatabaseError ||
    error instanceof LeaseLostError ||
    error instanceof InterruptedError
  )
}

/** An end that leaves a partial run: what was read is stored, the rest waits for the next run. */
function isEarlyEnd(error: unknown): error is HeadcountError {
  return error instanceof PausedByServiceError || error instanceof RunDeadlineError
}
