/** Notices of a single run: of `sync` and `backfill` from cron. */
import {
  AccountLockedError,
  HeadcountError,
  InterruptedError,
  MovedMirrorError,
  UsageError,
} from '../../../common/errors.ts'
import { holdTimeLeft } from '../../../common/schema/holds.ts'
import { outcomeOf } from '../../../common/schema/run-report.ts'
import type { ServiceConfig } from '../../../config/config.ts'
import type { DatabaseOptions } from '../../../db/target.ts'
import type { Logger, RunReport } from '../../../index.ts'
import { callMirror } from '../../../mirror/library-api/with-mirror.ts'
import type { RunCall } from '../../../outputs/notify/deliver.ts'
import type { Notice } from '../../../outputs/notify/notices/deliver-notices.ts'
import { formatLists } from '../../../orchestration/schedule/health.ts'
import { describeHeldList } from '../../output/held-deletions.ts'

interface Telling {
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Of a process that goes on, or of many runs; when not given, that of the settings is opened. */
  readonly mirror?: DatabaseOptions
}

/** Tells how the mirror stands after the run, where somebody is to be told. It is bounded, never throws, and changes no exit code. */
export async function notifyAfterRun(
  run: Promise<RunReport>,
  config: ServiceConfig,
  { logger, signal, mirror = { database: config.database.target } }: Telling,
): Promise<void> {
  const { notifyTo: recipients, mail } = config.notify
  const notice = recipients.length === 0 ? null : await noticeOf(run, config.run.holdForMs)
  if (notice === null) return
  const { deliverNotices } = await import('../../../outputs/notify/notices/deliver-notices.ts')
  const { logNotice } = await import('./notice-companion.ts')
  // Also in a mirror that was moved: somebody still runs it.
  const call: RunCall = (asked, input) => callMirror({ ...mirror, logger, force: true }, asked, input)
  try {
    const told = await deliverNotices(call, { account: config.account, recipients, mail }, notice, signal)
    for (const delivery of told) logNotice(logger, notice, delivery)
  } catch (error) {
    if (!signal.aborted && !(error instanceof UsageError))
      logger.error({ err: error }, 'a notice of this run could not be made')
  }
}

/** Null when the end of the run says nothing of the mirror. */
async function noticeOf(run: Promise<RunReport>, holdForMs: number): Promise<Notice | null> {
  try {
    const report = await run
    if (report.dry_run) return null
    if (report.status === 'partial')
      return { state: 'partial', cause: null, reason: `the last run: ${outcomeOf(report)}` }
    const overdue = report.holds.filter((hold) => holdTimeLeft(hold, holdForMs, report.finished_at) <= 0)
    if (overdue.length > 0)
      return { state: 'held_too_long', cause: null, reason: formatLists(overdue.map(describeHeldList)) }
    return { state: 'good', cause: null, reason: 'the last run read all that was due' }
  } catch (error) {
    const isUsage = error instanceof UsageError && !(error instanceof MovedMirrorError)
    const saysNothing = error instanceof AccountLockedError || error instanceof InterruptedError || isUsage
    if (saysNothing || !(error instanceof HeadcountError)) return null
    return { state: 'failed', cause: error.code, reason: `the last run: ${error.code}: ${error.message}` }
  }
}
