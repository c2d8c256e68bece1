import pLimit from 'p-limit'
import { HeadcountError, UnreachableError } from '../../common/errors.ts'
import { describeThrown } from '../../common/error-code.ts'
import { deletionsOnly } from '../../load/dry-run/planner.ts'
import { EventBatches } from '../write/event-batches.ts'
import { endsRun, isEarlyEnd } from './for-each-event.ts'
import type { RunContext } from '../run-context.ts'
import { writeList } from './sync-events.ts'
import { chooseRereads, rereadBudget, type Reread } from '../deletions/unconfirmed-absences.ts'

/**
 * Reads lists once more that came in several pages and lacked a few rows: what the second reading lacks too is deleted,
 * under the guard. One that cannot be read stays as it is, and is read by the next run: nothing fails because of it.
 *
 * @returns how many requests are left for a second reading of the event list
 */
export async function rereadUnconfirmed(run: RunContext): Promise<number> {
  const budget = rereadBudget(run.source.counts.requests)
  const chosen = chooseRereads(run.deletions.unconfirmed.lists, budget)
  if (chosen.length > 0) await rereadLists(run, chosen)
  return budget - chosen.reduce((sum, { pages }) => sum + pages, 0)
}

async function rereadLists(run: RunContext, chosen: readonly Reread[]): Promise<void> {
  run.settings.logger.debug({ lists: chosen.length }, 'reading lists in several pages once more')
  // A dry run has written nothing of the first reading: its rows are planned already.
  const load = run.mirror.plan === null ? run.mirror.load : deletionsOnly(run.mirror.load)
  await using batches = new EventBatches({ ...run, mirror: { ...run.mirror, load } })
  const place = pLimit(run.settings.concurrency)
  let isEnded = false
  const tryOne = async ({ due }: Reread): Promise<void> => {
    if (isEnded || run.signal.aborted) return
    try {
      await rereadList(run, batches, due)
    } catch (error) {
      if (run.signal.aborted) return
      const isOfService = error instanceof HeadcountError && (isEarlyEnd(error) || !endsRun(error))
      if (!isOfService) return run.stop(error)
      // A service that is gone, or asks for a pause, is not asked for the others: they wait for the next run.
      isEnded ||= error instanceof UnreachableError || isEarlyEnd(error)
      warnUnconfirmed(run, `Event ${due.event.id}`, error)
    }
  }
  await Promise.all(chosen.map((list) => place(() => tryOne(list))))
  run.signal.throwIfAborted()
  await batches.finish()
}

async function rereadList(run: RunContext, batches: EventBatches, due: Reread['due']): Promise<void> {
  const answer = await run.source.responses(due.event.id)
  if (answer === 'not_modified') throw new Error('The service was asked without a validator.')
  using reading = answer
  await writeList(run, batches, due, reading)
}

/** Tells that a list could not be read a second time. */
export function warnUnconfirmed({ stats }: Pick<RunContext, 'stats'>, list: string, error: unknown): void {
  const cause = describeThrown(error)
  stats.warn(
    `${list}: rows were missing from its pages, and it could not be read a second time: they stay until the next run reads it. ${cause}`,
  )
}
