import { findForgettable, type ForgettableEvent } from '../../load/write/forget.ts'
import type { RunContext } from '../run-context.ts'

/** About what a row takes that is written again. */
const BYTES_PER_ROW = 500

/**
 * Forgets the personal data of events that took place longer ago than the option `forgetAfterMs` says, in transactions of whole events.
 * What a run that was killed left is forgotten by the next one.
 */
export async function forgetPersonalData(run: RunContext): Promise<void> {
  const { settings, mirror, stats, signal } = run
  // A run that ended early forgets nothing: the caller waits, or the database is in trouble.
  if (settings.forgetAfterMs === null || signal.aborted) return
  const only = settings.events === null ? null : [...settings.events]
  const events = await findForgettable(
    mirror.database.kysely,
    mirror.account.id,
    settings.forgetAfterMs,
    only,
  )
  for (const batch of inBatches(events, settings.batchRows)) {
    signal.throwIfAborted()
    const bytes = BYTES_PER_ROW * batch.reduce((sum, { rows }) => sum + rows, 0)
    const forgotten = await mirror.write((trx) => mirror.load.forget(trx, mirror.account.id, batch), {
      bytes,
    })
    stats.addForgotten(forgotten)
    stats.report('forgetting')
  }
}

/** Whole events; one with more rows goes alone. */
function* inBatches(
  events: readonly ForgettableEvent[],
  maxRows: number,
): Generator<readonly ForgettableEvent[]> {
  let batch: ForgettableEvent[] = []
  let rows = 0
  for (const event of events) {
    if (batch.length > 0 && rows + event.rows > maxRows) {
      yield batch
      batch = []
      rows = 0
    }
    batch.push(event)
    // An event without a row takes a statement's time, too.
    rows += event.rows + 1
  }
  if (batch.length > 0) yield batch
}
