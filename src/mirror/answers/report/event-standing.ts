import { countRejects } from '../../../load/state/rejects.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { QuickAccountStatus } from '../../status/account-status.ts'
import type { DigestMirror } from '../digest/digest.ts'
import { standing } from '../digest/digest-call.ts'

/** How the mirror stands for one event: what is held of another one changes none of its figures. */
export async function standingOfEvent(
  { kysely }: Pick<Transaction, 'kysely'>,
  account_id: number,
  status: QuickAccountStatus,
  event: string,
): Promise<DigestMirror> {
  return standing({
    ...status,
    ...(await countRejects(kysely, account_id, event)),
    held: status.held.flatMap((hold) => ofEvent(hold, event)),
    unconfirmed: status.unconfirmed.flatMap((absence) => ofEvent(absence, event)),
    // The title and the time are in the event list.
    failing: status.failing.filter(({ event_id }) => event_id === event || event_id === null),
  })
}

interface MissingRows {
  readonly event_id: string | null
  readonly events: readonly string[] | null
  readonly rows: number
}

/** Responses of the event, or the event itself where the event list misses it. */
function ofEvent<Missing extends MissingRows>(missing: Missing, event: string): readonly Missing[] {
  if (missing.events === null) return missing.event_id === event ? [missing] : []
  return missing.events.includes(event) ? [{ ...missing, rows: 1 }] : []
}
