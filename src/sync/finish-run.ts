import type { RunReport } from '../common/schema/tables.ts'
import { HeadcountError, LeaseLostError, PagedObjectError } from '../common/errors.ts'
import type { OpenMatters } from '../load/state/sync-state.ts'
import { asInterruption } from './interruption.ts'
import { sentAgain } from './open/open-source.ts'
import { storeObservations } from './drift/collector.ts'
import type { OpenRun } from './open/run-context.ts'
import { statusAfter, statusOf } from './run-stats.ts'
import type { EndStatus } from './run-stats.ts'

/** Closes a run that came to its end: what is left to note, the status and the report, in one durable transaction. */
export function closeRun(run: OpenRun): Promise<RunReport> {
  return close(run, (open) => statusOf(run.tally, open))
}

/**
 * Closes a run that a fatal cause ended, as far as the database still allows it.
 *
 * @returns the cause as an error of our family, with the report when there is one.
 */
export async function closeFailed(run: OpenRun, cause: unknown): Promise<unknown> {
  const error = asInterruption(run.settings.signal, cause)
  if (cause instanceof LeaseLostError) return error
  const known = error instanceof HeadcountError ? error : null
  if (error instanceof PagedObjectError) run.observations.addPagedObject('events')
  run.tally.fail(null, known ?? { code: 'unexpected', message: String(error) })
  try {
    const report = await close(run, () => statusAfter(known))
    if (known) known.report = report
  } catch (failure) {
    // The cause matters more than the closing: a database that is gone cannot be told that the run failed.
    run.settings.logger.warn({ err: failure }, 'The end of the run could not be stored.')
  }
  return error
}

async function close(run: OpenRun, decide: (open: OpenMatters) => EndStatus): Promise<RunReport> {
  const { account, lease } = run
  await lease.stopHeartbeat()
  return run.write(
    async (trx) => {
      await run.load.unchanged(trx, account.id, run.unchanged)
      await run.load.failed(trx, account.id, run.failures)
      await storeObservations(trx, run)
      const open = await run.load.openMatters(trx, account.id)
      const status = decide(open)
      const report = makeReport(run, status, open)
      await lease.close(trx, status, report)
      return report
    },
    { isLast: true },
  )
}

function makeReport(run: OpenRun, status: EndStatus, open: OpenMatters): RunReport {
  const { tally, lease, source } = run
  return {
    run_id: run.plan === null ? Number(lease.runId) : null,
    account: run.account.name,
    mode: run.mode,
    status,
    started_at: lease.startedAt,
    finished_at: open.now,
    duration_ms: Math.round(performance.now() - run.startedMs),
    events: {
      listed: tally.listed,
      due: tally.due,
      unchanged: tally.unchanged,
      changed: tally.changed,
      failed: tally.failed,
      ...(tally.notRead > 0 && { not_read: tally.notRead }),
    },
    rows: tally.rows,
    rejected: open.rejected,
    set_aside: open.set_aside,
    held: open.held,
    holds: open.holds,
    unconfirmed: open.unconfirmed,
    requests: source.counts.requests,
    retries: sentAgain(source),
    not_modified: source.counts.notModified,
    bytes_received: source.counts.bytesReceived,
    warnings: tally.warnings.map(run.conceal),
    errors: tally.listedErrors,
    errors_total: tally.errors.length,
    ...(run.plan !== null && { dry_run: true, plan: run.plan() }),
  }
}
