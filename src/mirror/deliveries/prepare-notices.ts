/** Who is to be told that the state of the mirror has changed. */
import { sql } from 'kysely'
import type { MirrorState, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { resolveAccount } from '../accounts/resolve-account.ts'
import { defineChange } from '../calls/call.ts'
import { accountFields, object } from '../calls/input.ts'
import { notFuture } from '../instants/not-future.ts'
import {
  claimDelivery,
  ensureDeliveries,
  messageIdOf,
  recipientsField,
  type DeliveryKey,
  type Message,
  type StoredDelivery,
} from './claims.ts'
import { noticeFields, reasonKey, type NoticeReason } from './settle.ts'

/** The same reason is told at most once in so long. */
const QUIET = sql`interval '1 hour'`

const key: DeliveryKey = { kind: 'notice', name: 'mirror', event: null }

export interface PreparedNotice {
  readonly account: string
  readonly recipient_sha256: string
  /**
   * `claimed`: to be sent, and settled; `known`: the recipient knows this state; `quiet`: it was told less than an hour ago; `busy`:
   * another process is sending it; `waiting`: the next attempt is yet to come.
   */
  readonly state: 'claimed' | 'known' | 'quiet' | 'busy' | 'waiting'
  /** Of `quiet` and `waiting`: until when. */
  readonly until: Timestamp | null
  /** Of one that is claimed. */
  readonly message: Message | null
}

const readInput = object({ ...accountFields, ...noticeFields, recipients: recipientsField })

export const prepareNoticesCall = defineChange('prepare-notices', readInput, prepareNotices)

async function prepareNotices(
  trx: Transaction,
  { account: named, state, cause, recipients }: ReturnType<typeof readInput>,
): Promise<readonly PreparedNotice[]> {
  const account = await resolveAccount(trx, named)
  const prepared: PreparedNotice[] = []
  for (const stored of await ensureDeliveries(trx, account, key, recipients)) {
    const { id, account, recipient_sha256, failures } = stored
    const last = await readLastNotice(trx, id, { state, cause })
    const outcome = outcomeFor(stored, last, { state, cause })
    if (outcome === 'known' && stored.next_attempt_at !== null) await endAttempts(trx, id)
    const claim =
      outcome === 'claimed' ? await claimDelivery(trx, id, { run: null, mirror: { state, cause } }) : null
    const message_id = messageIdOf(stored, [last.state, reasonKey({ state, cause }), last.told_at])
    prepared.push({
      account,
      recipient_sha256,
      state: outcome,
      until: outcome === 'quiet' ? last.quiet_until : outcome === 'waiting' ? stored.next_attempt_at : null,
      message: claim && { ...claim, message_id, failures, was_pending: stored.is_pending },
    })
  }
  return prepared
}

function outcomeFor(
  stored: StoredDelivery,
  last: LastNotice,
  { state, cause }: NoticeReason,
): PreparedNotice['state'] {
  if (stored.is_claimed) return 'busy'
  // A mirror that is right, and never was wrong, is no news.
  const isTold = last.state === state && /* guard: another error is another reason */ last.cause === cause
  const isKnown = isTold || (last.state === null && state === 'good')
  if (isKnown && /* guard: a notice that may have been accepted */ !stored.is_pending) return 'known'
  // guard: one notice an hour
  if (last.quiet_until !== null) return 'quiet'
  return stored.is_waiting ? 'waiting' : 'claimed'
}

/** What was to be told is so no more: `status` shows that it was not accepted, and no next attempt. */
async function endAttempts({ kysely }: Transaction, id: string): Promise<void> {
  await sql`update headcount.deliveries set next_attempt_at = null where id = ${id}`.execute(kysely)
}

interface LastNotice {
  /** What was told last; null: nothing yet. */
  readonly state: MirrorState | null
  readonly cause: string | null
  /** When this very state, for this cause, was told last. */
  readonly told_at: Timestamp | null
  /** Null when it may be told now. */
  readonly quiet_until: Timestamp | null
}

async function readLastNotice({ kysely }: Transaction, id: string, asked: NoticeReason): Promise<LastNotice> {
  const reason = reasonKey(asked)
  const { rows } = await sql<LastNotice>`
    select state, cause, told->>${reason}::text as told_at,
           case when quiet.until > now() and ${/* guard: notices of the future */ notFuture(sql`quiet.until - ${QUIET}`)} then quiet.until end as quiet_until
      from headcount.deliveries
     cross join lateral (select (told->>${reason}::text)::timestamptz + ${QUIET} as until) quiet
     where id = ${id}`.execute(kysely)
  return rows[0] ?? { state: null, cause: null, told_at: null, quiet_until: null }
}
