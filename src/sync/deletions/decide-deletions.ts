import type { Transaction } from '../../db/transaction.ts'
import { decideResponses } from './guard.ts'
import type { RunContext } from '../run-context.ts'
import type { ResponseList } from '../fetch/response-list.ts'
import { confirmAbsences } from './unconfirmed-absences.ts'
import type { ListWrite } from '../write/event-write.ts'
import type { Changes, DeletionDecisions } from './decisions.ts'

/**
 * Decides which responses are removed that these lists no longer have.
 *
 * @param accountEmpty whether the account looks empty: then a list that is empty proves nothing (emptied-lists.ts)
 */
export async function decideDeletions(
  trx: Transaction,
  run: RunContext,
  lists: readonly ListWrite<ResponseList>[],
  changes: Changes,
  decisions: DeletionDecisions,
  accountEmpty = false,
): Promise<void> {
  for (const { event, list, state, firstReading } of lists) {
    const change = changes.get(event.id)
    const removed = new Set(firstReading?.removed)
    // The live row stays of an item that is rejected.
    const absent = change?.absent.filter((id) => !list.has(id) && !removed.has(id)) ?? []
    if (absent.length === 0) continue
    const { confirmed, unconfirmed } = confirmAbsences(absent, list, state)
    const { total: liveAtStart } = await run.initial.liveCounts(trx.kysely)
    const decision = decideResponses(
      {
        absent: confirmed,
        live: change?.live ?? 0,
        length: list.length,
        unreadableId: list.unreadableId,
        incomplete: list.incomplete,
        held: state?.held_deletions ?? [],
        accountEmpty,
      },
      run.deletions.policy,
      { ...run.deletions.budget.totals, liveAtStart },
    )
    // With rows left the list is no longer one that was read whole: what was before is asked while it is.
    // guard: losses before this run stores anything
    if (decision.held.length + unconfirmed.length > 0) await run.initial.deletedBefore(trx.kysely)
    run.deletions.budget.add(decision)
    decisions.set(event.id, { ...decision, unconfirmedAbsences: unconfirmed })
  }
}
