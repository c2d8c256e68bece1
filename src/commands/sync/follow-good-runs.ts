/** A worker of a queue tells of the last good run of each account, whoever made it. */
import { sql } from 'kysely'
import { sleep } from '../../common/abort.ts'
import type { Database } from '../../db/database.ts'
import { lastGoodRunAt } from '../../mirror/status/last-good-run.ts'
import type { Logger } from '../../sync/options.ts'
import { noteGoodRun } from '../../telemetry/account-figures.ts'
import { instruments } from '../../telemetry/instruments.ts'

const LOOK_MS = 60_000

/**
 * Looks into the mirror once a minute, where somebody collects metrics. Without that, each worker would tell of its own runs alone, and the age of an account would
 * jump when the worker that ran it last is replaced.
 */
export async function followGoodRuns(
  { kysely }: Database,
  { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
): Promise<void> {
  while (!signal.aborted && instruments() !== null) {
    try {
      const { rows } = await sql<{ account: string; began: number }>`
        select a.name as account, extract(epoch from run.began_at)::float8 as began
          from headcount.accounts a
         cross join lateral (select ${lastGoodRunAt('a.id')} as began_at) run
         where run.began_at is not null`.execute(kysely)
      for (const { account, began } of rows) noteGoodRun(account, began)
    } catch (error) {
      logger.debug({ err: error }, 'the last good runs are not known')
    }
    await sleep(LOOK_MS, signal).catch(() => {})
  }
}
