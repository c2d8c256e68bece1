/** Whether an event whose personal data were forgotten is no longer old. */
import type { FetchedList } from '../../source/fetched-list.ts'
import { laterClock } from '../deletions/hold-clocks.ts'
import type { RunContext } from '../run-context.ts'
import type { DueEvent } from '../select/selected-event.ts'
import { createNormaliser, type ListContext } from './response-list.ts'

/** The clock of the service may be ahead of that of the database. A time later than that says nothing. */
const MAX_AHEAD_MS = 86_400_000
/** Postgres counts from here. */
const EPOCH_MS = Date.UTC(2000, 0, 1)

/**
 * Whether a list that has changed has a response that was made or edited too late to be forgotten, while the event has no time of its
 * own: it is then as old as that. Reads the list once more, up to such a response; only one that is marked as forgotten.
 */
export async function isRevived(
  {
    settings: { forgetAfterMs },
    mirror: { lease },
    deletions,
  }: Pick<RunContext, 'settings' | 'mirror' | 'deletions'>,
  { event, state }: DueEvent,
  fetched: FetchedList,
  contextOf: () => ListContext,
): Promise<boolean> {
  if (state?.retention !== 'forgotten') return false
  // guard: forgotten by its time
  if (event.event_at !== null) return false
  // How long responses are kept is not known without the setting.
  const since =
    forgetAfterMs === null ? Date.parse(state.forgotten_at) : laterClock(deletions.policy) - forgetAfterMs
  // The clock of the database, as everywhere: that of this machine may be set wrong.
  const now = Date.parse(lease.startedAt)
  const [from, to] = [microseconds(since), microseconds(now + MAX_AHEAD_MS)]
  const context = contextOf()
  const reader = createNormaliser(fetched, context).firstReader()
  const isNew = (instant: bigint | null) =>
    instant !== null && instant > from && /* guard: responses of the far future */ instant <= to
  for await (const _ of fetched.read(reader)) {
    context.signal?.throwIfAborted()
    const { rows } = reader.take()
    for (let index = 0; index < rows.count; index += 1)
      if (isNew(rows.createdAt(index)) || isNew(rows.updatedAt(index))) return true
  }
  return false
}

function microseconds(ms: number): bigint {
  return BigInt(ms - EPOCH_MS) * 1000n
}
