import type { HeldGroup } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import type { DueEvent } from '../select/due-event.ts'
import { nextPollInterval } from '../select/polling-schedule.ts'
import type { RunContext } from '../run-context.ts'
import type { ListDecision } from '../deletions/decisions.ts'
import type { ListWrite, EventRowsWritten, UnchangedWrite } from './event-write.ts'

/** Stores what is known of the lists of a batch, in the transaction that writes their rows. */
export async function saveListStates(
  trx: Transaction,
  run: RunContext,
  loads: readonly (ListWrite | UnchangedWrite)[],
  decisions: ReadonlyMap<string, ListDecision>,
  records: EventRowsWritten,
  changedLists: ReadonlySet<string>,
): Promise<void> {
  const { maxStalenessMs } = run.settings
  const stepOf = ({ event, state, firstReading }: DueEvent) => {
    const isChanged =
      changedLists.has(event.id) || records.events.has(event.id) || firstReading?.changed === true
    return nextPollInterval(
      event,
      state?.poll_interval_s ?? null,
      isChanged,
      maxStalenessMs,
      run.mirror.lease.startedAt,
    )
  }
  const read = loads.flatMap((load) => {
    if (load.list === null) return []
    const decision = decisions.get(load.event.id)
    const held: readonly HeldGroup[] = decision?.held ?? []
    const unconfirmed_absences = decision?.unconfirmedAbsences ?? []
    const hasOthersLive =
      held.length > 0 || /* guard: digest without all rows */ unconfirmed_absences.length > 0
    return {
      event_id: load.event.id,
      // Every run is to warn of signs of more pages, not only the first.
      digest:
        /* guard: no digest while held */ hasOthersLive || load.list.incomplete === 'paging'
          ? null
          : load.list.digest,
      etag: hasOthersLive ? null : load.list.etag,
      normaliser_version: NORMALISER_VERSION,
      held_deletions: held,
      unconfirmed_absences,
      set_aside: load.list.setAside,
      poll_interval_s: stepOf(load),
      // guard: version of a list
      has_changed: changedLists.has(load.event.id),
    }
  })
  const unchanged = loads.flatMap((load) =>
    load.list === null ? [{ event_id: load.event.id, poll_interval_s: stepOf(load), ...load.unchanged }] : [],
  )
  await run.mirror.load.markUnchanged(trx, run.mirror.account.id, unchanged)
  await run.mirror.load.saveRead(
    trx,
    run.mirror.account.id,
    run.initial.backfill?.id ?? null,
    read,
    records.change,
  )
}
