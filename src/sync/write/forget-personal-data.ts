import { findForgettable } from '../../load/write/forget.ts'
import type { RunContext } from '../run-context.ts'
import { groupByRows } from './group-by-rows.ts'

/** About what a row takes that is written again. */
const BYTES_PER_ROW = 500

/**
 * Forgets the personal data of events that took place longer ago than the option `forgetAfterMs` says, in transactions of whole events.
 * What a run that was killed left is forgotten by the next one.
 */
export async function forgetPersonalData(run: RunContext): Promise<void> {
  const { settings, mirror, stats, signal } = run
  const { account, database, load } = mirror
  // A run that ended early forgets nothing: the caller waits, or the database is in trouble.
  if (settings.forgetAfterMs === null || signal.aborted) return
  const only = settings.events === null ? null : [...settings.events]
  const age = { afterMs: settings.forgetAfterMs, runNow: run.deletions.policy.runNow }
  const events = await findForgettable(database.kysely, account.id, age, only)
  for (const batch of groupByRows(events, settings.batchRows, ({ rows }) => rows)) {
    signal.throwIfAborted()
    const bytes = BYTES_PER_ROW * batch.reduce((sum, { rows }) => sum + rows, 0)
    stats.addForgotten(await mirror.write((trx) => load.forget(trx, account.id, batch), { bytes }))
    stats.report('forgetting')
  }
}
