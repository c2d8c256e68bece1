/** What a worker that starts asks of the mirror: a monitor must not call it unhealthy while the mirror is fresh by a run before. */
import { describeThrown } from '../../common/error-code.ts'
import type { RunConfig } from '../../config/read-run.ts'
import { statusCall } from '../../mirror/calls/status.ts'
import type { LastGoodRuns } from '../../orchestration/schedule/worker.ts'
import type { RunCall } from '../../outputs/notify/deliver.ts'
import type { Logger } from '../../sync/options.ts'
import { noteGoodRun } from '../../telemetry/account-figures.ts'
import { instruments } from '../../telemetry/instruments.ts'

/** @param account null: of all accounts */
export function lastGoodRunsOf(
  account: string | null,
  { call, run, logger }: { readonly call: RunCall; readonly run: RunConfig; readonly logger: Logger },
): LastGoodRuns {
  const { maxStalenessMs, holdForMs } = run
  return async () => {
    try {
      const statuses = await call(statusCall, {
        account,
        maxStalenessMs,
        holdForMs,
        own: [],
        withReplies: false,
      })
      const ages = statuses.flatMap(({ account: name, age_ms }) =>
        age_ms === null ? [] : [[name, age_ms] as const],
      )
      if (instruments() !== null)
        for (const [name, ageMs] of ages) noteGoodRun(name, (Date.now() - ageMs) / 1000)
      return new Map(ages)
    } catch (error) {
      // There is no mirror yet, or the run tells the same.
      const reason = describeThrown(error)
      logger.debug({}, `the last good run is not known: ${reason}`)
      return new Map()
    }
  }
}
