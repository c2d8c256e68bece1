/** The code of a RetryLaterError. */
const PAUSED_BY_SERVICE = 'paused_by_service'

/** How the last read of an event ended; `error_code` is null when it was read. */
export interface LastOutcome {
  readonly error_code: string | null
}

/**
 * Puts events in the order of reading. What failed last time is read first: a run that ends early has then at least
 * mended that. What made the service ask for a longer pause than a run may wait comes last, in a round of its own: it
 * may do so again, and the others are mirrored by then.
 */
export function readingRounds<Event>(
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
