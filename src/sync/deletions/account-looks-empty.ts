import { countWithResponses } from '../../load/diff/live-counts.ts'
import type { RunContext } from '../run-context.ts'
import { looksEmpty } from './emptied-lists.ts'
import type { Evidence } from './emptied-lists.ts'

/** Whether the account looks empty to this run, which has read all its lists; warns when it does. */
export async function accountLooksEmpty(run: RunContext): Promise<boolean> {
  const { kysely } = run.mirror.database
  const { emptied, unchanged, full } = run.deletions.listsRead
  const evidence: Evidence = {
    emptied: emptied.size,
    withResponses: full.size + (await countWithResponses(kysely, run.mirror.account.id, unchanged)),
    rows: [...emptied.values()].reduce((sum, rows) => sum + rows, 0),
    deletedBefore: await run.initial.deletedBefore(kysely),
    liveAtStart: (await run.initial.liveCounts(kysely)).total,
  }
  if (!looksEmpty(evidence)) return false
  run.stats.warn(
    `${evidence.emptied} of ${evidence.emptied + evidence.withResponses} lists that had responses came back empty. ` +
      'This looks like an outage: time alone deletes nothing of them.',
  )
  return true
}
