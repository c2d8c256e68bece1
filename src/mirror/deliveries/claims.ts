/** Rows of the table `deliveries`: who is told, up to which run, and which process is telling them. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DigestMirror } from '../answers/digest/digest.ts'
import { arrayOf, object, text } from '../calls/input.ts'
import { notFuture } from '../instants/not-future.ts'

/** From when a message is prepared, and again from when its turn has come; afterwards the process has died, and another one may send it. */
export const CLAIM = sql`interval '15 minutes'`

/** A recipient as the mirror knows it: the address itself may be a secret. */
export interface RecipientKey {
  /** Of the whole address, in hexadecimal digits. */
  readonly sha256: string
  /** The address as it may be shown. */
  readonly shown: string
}

export const recipientsField = arrayOf('objects', object({ sha256: text, shown: text }))

/** What is delivered: a digest of a name, of one event or, with null, of all; or a notice. */
export interface DeliveryKey {
  readonly kind: 'digest' | 'notice'
  readonly name: string
  readonly event: string | null
}

/** A row as it was found, locked until the transaction ends. */
export interface StoredDelivery {
  readonly id: IntegerText
  readonly account: string
  readonly recipient_sha256: string
  readonly message_key: string
  readonly delivered_run_id: number | null
  readonly pending_run_id: number | null
  /** Of a digest. */
  readonly pending_mirror: DigestMirror | null
  /** The last message may have been accepted. */
  readonly is_pending: boolean
  readonly failures: number
  readonly next_attempt_at: Timestamp | null
  /** Its next attempt is yet to come. */
  readonly is_waiting: boolean
  /** Another process is sending it. */
  readonly is_claimed: boolean
}

/**
 * The rows of these recipients, locked. One is made first for each account and recipient that has none; an account that is being removed, or
 * never had the event, gets none.
 */
export async function ensureDeliveries(
  trx: Transaction,
  account: string | null,
  key: DeliveryKey,
  recipients: readonly RecipientKey[],
): Promise<readonly StoredDelivery[]> {
  const { kind, name, event } = key
  await sql`
    insert into headcount.deliveries (account_id, kind, name, event_id, recipient_sha256, recipient)
    select a.id, ${kind}, ${name}, ${event}, r.sha256, r.shown
      from (select id from headcount.accounts
             where (${account}::text is null or name = ${account}) and _removing_since is null
               and (${event}::text is null
                    or exists (select from headcount.events e where e.account_id = accounts.id and e.id = ${event})
                    or exists (select from headcount.event_history h
                                where h.account_id = accounts.id and h.event_id = ${event}))
             order by id for key share) a
     cross join unnest(${recipients.map(({ sha256 }) => sha256)}::text[],
                       ${recipients.map(({ shown }) => shown)}::text[]) r (sha256, shown)
    on conflict (account_id, kind, name, event_id, recipient_sha256) do nothing`.execute(trx.kysely)
  return lockDeliveries(trx, account, key, recipients)
}

/** The rows of these recipients that are there, locked. */
export async function lockDeliveries(
  { kysely }: Transaction,
  account: string | null,
  { kind, name, event }: DeliveryKey,
  recipients: readonly RecipientKey[],
): Promise<readonly StoredDelivery[]> {
  const { rows } = await sql<StoredDelivery>`
    select d.id, a.name as account, d.recipient_sha256, d.message_key::text, d.delivered_run_id::float8,
           d.pending_run_id::float8, d.pending_mirror,
           num_nonnulls(d.pending_run_id, d.pending_mirror) > 0 as is_pending, d.failures, d.next_attempt_at,
           coalesce(d.next_attempt_at > now() and ${/* guard: failures of the future */ notFuture(sql`d.failed_at`)}, false) as is_waiting,
           coalesce(d.claimed_until > now() and ${/* guard: claims of the future */ notFuture(sql`d.claimed_until - ${CLAIM}`)}, false) as is_claimed
      from headcount.deliveries d
      join headcount.accounts a on a.id = d.account_id
     where (${account}::text is null or a.name = ${account}) and a._removing_since is null
       and d.kind = ${kind} and d.name = ${name} and d.event_id is not distinct from ${event}
       and d.recipient_sha256 = any (${recipients.map(({ sha256 }) => sha256)}::text[])
     order by d.id
       for update of d`.execute(kysely)
  return rows
}

/** The right to send one message: whoever settles it must still have it. */
export interface Claim {
  readonly id: IntegerText
  readonly claim: string
}

export interface Message extends Claim {
  /** The same for the same recipient and the same runs or reason, and for nothing else. */
  readonly message_id: string
  readonly failures: number
  /** An earlier attempt may have been accepted. */
  readonly was_pending: boolean
}

/** Derived, so that a message that is sent again has the same one. */
export function messageIdOf({ message_key }: StoredDelivery, content: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([message_key, ...content]))
    .digest('hex')
    .slice(0, 40)
}

/** What a digest tells besides changes that are recorded: nobody could read it later as it was. */
export interface Pending {
  /** The last run of which the message tells. */
  readonly run: number
  readonly mirror: DigestMirror
}

/** @param pending of the message; `mirror` of a notice is what it tells. It stays until the message is known not to have been accepted */
export async function claimDelivery(
  { kysely }: Transaction,
  id: IntegerText,
  pending: Pending | { readonly run: null; readonly mirror: object },
): Promise<Claim> {
  const { rows } = await sql<Claim>`
    update headcount.deliveries
       set claim = gen_random_uuid(), claimed_until = now() + ${CLAIM},
           pending_run_id = ${pending.run},
           pending_mirror = ${JSON.stringify(pending.mirror)}::json
     where id = ${id}
    returning id, claim::text`.execute(kysely)
  const [claimed] = rows
  if (claimed === undefined) throw new RangeError(`There is no delivery ${id}.`)
  return claimed
}
