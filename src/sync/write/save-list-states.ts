import type { HeldGroup } from '../../common/schema/tables.ts'
import type { StateWriter } from '../../load/state/sync-state.ts'
import type { Transaction } from '../../db/transaction.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { restoresPersonal, type DueEvent } from '../select/selected-event.ts'
import { nextPollInterval } from '../select/polling-schedule.ts'
import type { RunContext } from '../run-context.ts'
import type { DeletionDecisions } from '../deletions/decide-deletions.ts'
import type { ListWrite, EventRowsWritten, UnchangedWrite } from './event-write.ts'

/** Stores what is known of the lists of a batch, in the transaction that writes their rows. */
export async function saveListStates(
  trx: Transaction,
  run: RunContext,
  loads: readonly (ListWrite | UnchangedWrite)[],
  decisions: DeletionDecisions,
  records: EventRowsWritten,
  changedLists: ReadonlySet<string>,
): Promise<void> {
  const { account, load } = run.mirror
  const intervalOf = (due: DueEvent) => {
    const { id } = due.event
    const isChanged = changedLists.has(id) || records.events.has(id) || due.firstReading?.changed === true
    return pollIntervalOf(run, due, isChanged)
  }
  const read = loads.flatMap((one) => {
    if (one.list === null) return []
    const decision = decisions.get(one.event.id)
    const held: readonly HeldGroup[] = decision?.held ?? []
    const unconfirmed_absences = decision?.unconfirmedAbsences ?? []
    const hasOthersLive =
      held.length > 0 || /* guard: digest without all rows */ unconfirmed_absences.length > 0
    return {
      event_id: one.event.id,
      // Every run is to warn of signs of more pages, not only the first.
      digest:
        /* guard: no digest while held */ hasOthersLive || one.list.incomplete === 'paging'
          ? null
          : one.list.digest,
      etag: hasOthersLive ? null : one.list.etag,
      normaliser_version: NORMALISER_VERSION,
      held_deletions: held,
      unconfirmed_absences,
      set_aside: one.list.setAside,
      poll_interval_s: intervalOf(one),
      // guard: version of a list
      has_changed: changedLists.has(one.event.id),
      is_restored: restoresPersonal(one),
    }
  })
  const unchanged = loads.flatMap((one) =>
    one.list === null ? [{ event_id: one.event.id, poll_interval_s: intervalOf(one), ...one.unchanged }] : [],
  )
  await load.markUnchanged(trx, account.id, unchanged)
  await load.saveRead(trx, stateWriterOf(run), read, records.change)
}

export function stateWriterOf({ mirror: { account, lease }, initial }: RunContext): StateWriter {
  return { account: account.id, run: lease.runId, backfill: initial.backfill?.id ?? null }
}

/** Seconds until the event is due again; null: at the next run. */
export function pollIntervalOf(
  run: RunContext,
  { event, state }: DueEvent,
  isChanged: boolean,
): number | null {
  const last = state?.poll_interval_s ?? null
  return nextPollInterval(event, last, isChanged, run.settings.maxStalenessMs, run.mirror.lease.startedAt)
}
