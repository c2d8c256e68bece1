import type { Transaction } from '../../db/transaction.ts'
import type { ListDiff } from '../../load/diff/list-diff.ts'
import { countWithResponses } from '../../load/diff/live-counts.ts'
import type { ResponseList } from '../fetch/response-list.ts'
import type { RunContext } from '../run-context.ts'
import type { ListWrite } from '../write/event-write.ts'
import { looksEmpty, type Evidence } from './emptied-lists.ts'
import { decideResponses } from './deletion-guard.ts'
import { confirmAbsences, type ListDecision } from './unconfirmed-absences.ts'

/** What is decided of each list that loses responses, by event. */
export type DeletionDecisions = Map<string, ListDecision>

/** Lists beside what was live of them, by event. */
export type DiffByEvent = ReadonlyMap<string, Pick<ListDiff, 'live' | 'fields' | 'absent'>>

/**
 * Decides which responses are removed that these lists no longer have.
 *
 * @param accountEmpty whether the account looks empty: then a list that is empty proves nothing (emptied-lists.ts)
 */
export async function decideDeletions(
  trx: Transaction,
  run: RunContext,
  lists: readonly ListWrite<ResponseList>[],
  changes: DiffByEvent,
  decisions: DeletionDecisions,
  accountEmpty: boolean,
): Promise<void> {
  const { budget, policy } = run.deletions
  for (const { event, list, state, firstReading } of lists) {
    const change = changes.get(event.id)
    const removed = new Set(firstReading?.removed)
    // The live row stays of an item that is rejected.
    const absent = change?.absent.filter((id) => !list.has(id) && !removed.has(id)) ?? []
    if (absent.length === 0) continue
    const { confirmed, unconfirmed } = confirmAbsences(absent, list, state)
    const { total: liveAtStart } = await run.initial.liveCounts(trx.kysely)
    const { length, unreadableId, incomplete } = list
    const held = state?.held_deletions ?? []
    const decision = decideResponses(
      { absent: confirmed, live: change?.live ?? 0, held, accountEmpty, length, unreadableId, incomplete },
      policy,
      { ...budget.totals, liveAtStart },
    )
    // With rows left the list is no longer one that was read whole: what was before is asked while it is.
    // guard: losses before this run stores anything
    if (decision.held.length + unconfirmed.length > 0) await run.initial.deletedBefore(trx.kysely)
    budget.add(decision)
    decisions.set(event.id, { ...decision, unconfirmedAbsences: unconfirmed })
  }
}

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
