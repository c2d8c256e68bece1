import type { Plan, RunReport } from '../common/schema/tables.ts'
import { toInterruptedError } from '../common/abort.ts'
import { HeadcountError, UnexpectedPaginationError, UnknownEventError } from '../common/errors.ts'
import type { OpenIssues } from '../load/state/open-issues.ts'
import { stateWriterOf } from './write/save-list-states.ts'
import { resentRequests } from './open/open-source.ts'
import { pagedObject } from './drift/observations.ts'
import type { RunContext } from './run-context.ts'
import { statusAfterError, finalStatus, type FinalStatus } from './run-stats.ts'

/** Closes a run that has ended: writes the remaining state, the status and the report in one durable transaction. */
export function finishRun(run: RunContext): Promise<RunReport> {
  return finish(run, (open) => finalStatus(run.stats, open))
}

/**
 * Closes a run that a fatal cause ended, as far as the database still allows it. A run that was asked for an event that
 * is not there wrote nothing and says nothing of the account: no row of it stays.
 *
 * @returns the cause as an error of our family, with the report when there is one.
 */
export async function failRun(run: RunContext, cause: unknown): Promise<unknown> {
  const error = toInterruptedError(run.settings.signal, cause)
  if (run.mirror.lease.lost.aborted) return error
  const known = error instanceof HeadcountError ? error : null
  const isMistyped = error instanceof UnknownEventError
  if (error instanceof UnexpectedPaginationError) run.pending.observations.note(pagedObject('events'))
  run.stats.fail(null, known ?? { code: 'unexpected', message: String(error) })
  try {
    if (isMistyped) {
      const { lease } = run.mirror
      await lease.stopHeartbeat()
      await run.mirror.write((trx) => lease.withdraw(trx), { isLast: true })
    } else {
      const report = await finish(run, () => statusAfterError(known))
      if (known) known.report = report
    }
  } catch (failure) {
    // A database out of reach cannot record the failure. The caller needs the cause of the failure, not this one.
    run.mirror.lease.giveUp()
    run.settings.logger.warn({ err: failure }, 'The end of the run could not be stored.')
  }
  return error
}

async function finish(run: RunContext, decide: (open: OpenIssues) => FinalStatus): Promise<RunReport> {
  const { account, lease } = run.mirror
  await lease.stopHeartbeat()
  return run.mirror.write(
    async (trx) => {
      await run.mirror.load.markUnchanged(trx, account.id, run.pending.unchanged)
      await run.mirror.load.saveFailures(trx, stateWriterOf(run), run.pending.failures)
      const news = await run.pending.observations.finish(trx, run.source.counts.statuses)
      for (const warning of news) run.stats.warn(warning)
      const open = await run.mirror.load.openIssues(trx, account.id)
      const status = decide(open)
      const plan = (await run.mirror.plan?.(trx)) ?? null
      const report = makeReport(run, status, open, plan)
      await lease.close(trx, status, report)
      return report
    },
    { isLast: true },
  )
}

function makeReport(run: RunContext, status: FinalStatus, open: OpenIssues, plan: Plan | null): RunReport {
  const { stats, source, settings } = run
  const { lease } = run.mirror
  return {
    run_id: plan === null ? Number(lease.runId) : null,
    account: run.mirror.account.name,
    mode: run.mode,
    status,
    started_at: lease.startedAt,
    finished_at: open.now,
    duration_ms: Math.round(performance.now() - stats.startedMs),
    events: {
      listed: stats.events.listed,
      due: stats.events.due,
      unchanged: stats.events.unchanged,
      changed: stats.events.changed,
      failed: stats.failed,
      ...(stats.events.notRead > 0 && { not_read: stats.events.notRead }),
    },
    rows: stats.rows,
    rejected: open.rejected,
    set_aside: open.set_aside,
    held: open.held,
    holds: open.holds,
    unconfirmed: open.unconfirmed,
    requests: source.counts.requests,
    retries: resentRequests(source),
    not_modified: source.counts.notModified,
    bytes_received: source.counts.bytesReceived,
    warnings: stats.warnings.map(settings.redact),
    errors: stats.listedErrors,
    errors_total: stats.errors.length,
    ...(settings.forgetAfterMs !== null && { forgotten: stats.forgotten }),
    ...(settings.applyToHistory && { rewritten_versions: stats.rewrittenVersions }),
    ...(plan !== null && { dry_run: true, plan }),
  }
}
