/** What became of a message, in the table `deliveries`. */
import { sql } from 'kysely'
import type { MirrorState, Timestamp } from '../../common/schema/tables.ts'
import { isObject } from '../../common/json/exact.ts'
import type { Transaction } from '../../db/transaction.ts'
import { defineChange } from '../calls/call.ts'
import {
  arrayOf,
  boolean,
  number,
  object,
  orNull,
  text,
  wordOf,
  wrongField,
  type Field,
} from '../calls/input.ts'
import { CLAIM, type Claim } from './claims.ts'

/** What became of a message that was sent, or was not worth sending; before that, that its turn has come. */
export type DeliveryOutcome =
  /** It is sent now: the claim counts from this moment, if it was not lost while other messages were sent. */
  | { readonly kind: 'begun' }
  /** The server of the recipient has it; or there was nothing to tell. */
  | { readonly kind: 'accepted'; readonly isSent: boolean }
  | {
      readonly kind: 'failed'
      /** Without secrets. */
      readonly error: string
      readonly retryInMs: number
      /** Nobody knows whether the server took it: the same message is sent again. */
      readonly mayBeAccepted: boolean
    }
  /** Nobody tried, or not to the end. */
  | { readonly kind: 'released'; readonly mayBeAccepted: boolean }

const outcomeField: Field<DeliveryOutcome> = (sent, name) => {
  const kind = isObject(sent) ? sent['kind'] : null
  if (kind === 'accepted') return { kind, ...object({ isSent: boolean })(sent) }
  if (kind === 'begun') return { kind }
  if (kind === 'released') return { kind, ...object({ mayBeAccepted: boolean })(sent) }
  if (kind !== 'failed') throw wrongField(name, 'begun, accepted, failed or released')
  return { kind, ...object({ error: text, retryInMs: number, mayBeAccepted: boolean })(sent) }
}

/** How a notice says that the mirror stands. `cause`: the error of a failed run. */
export interface NoticeReason {
  readonly state: MirrorState
  readonly cause: string | null
}

const MIRROR_STATES: readonly MirrorState[] = ['good', 'failed', 'partial', 'held_too_long', 'stale']
export const noticeFields = { state: wordOf(MIRROR_STATES), cause: orNull(text) }

/** The name under which the time of a notice is kept: one for each reason. */
export function reasonKey({ state, cause }: NoticeReason): string {
  return cause === null ? state : `${state}:${cause}`
}

export interface Settled {
  /** False: a claim was lost meanwhile, and another process decides. */
  readonly settled: boolean
  /** Of one that failed. */
  readonly next_attempt_at: Timestamp | null
}

const readInput = object({
  claims: arrayOf('objects', object({ id: text, claim: text })),
  outcome: outcomeField,
  /** What a notice told; null of a digest. */
  notice: orNull(object(noticeFields)),
})

/** Records what became of messages; the cursor moves only when they were accepted. */
export const settleDeliveriesCall = defineChange(
  'settle-deliveries',
  readInput,
  (trx, { claims, outcome, notice }) => settleDeliveries(trx, claims, outcome, notice),
)

/** @param notice what a notice told; null of a digest */
export async function settleDeliveries(
  { kysely }: Transaction,
  claims: readonly Claim[],
  outcome: DeliveryOutcome,
  notice: NoticeReason | null,
): Promise<Settled> {
  const { rows } = await sql<{ next_attempt_at: Timestamp | null }>`
    update headcount.deliveries
       set ${assignments(outcome, notice)}
      from (select d.id
              from headcount.deliveries d
              join unnest(${claims.map(({ id }) => id)}::bigint[], ${claims.map(({ claim }) => claim)}::uuid[]) own (id, claim)
                on own.id = d.id and own.claim = d.claim
             -- In the order in which others lock them.
             order by d.id
               for update of d) owned
     where deliveries.id = owned.id
    returning next_attempt_at`.execute(kysely)
  return { settled: rows.length === claims.length, next_attempt_at: rows[0]?.next_attempt_at ?? null }
}

function assignments(outcome: DeliveryOutcome, notice: NoticeReason | null) {
  if (outcome.kind === 'begun') return sql`claimed_until = now() + ${CLAIM}`
  return sql`${endOf(outcome, notice)}, claim = null, claimed_until = null`
}

function endOf(outcome: Exclude<DeliveryOutcome, { kind: 'begun' }>, notice: NoticeReason | null) {
  if (outcome.kind === 'accepted') {
    const told =
      notice === null
        ? sql``
        : sql`state = ${notice.state}, cause = ${notice.cause},
              told = told || jsonb_build_object(${reasonKey(notice)}::text, now()),`
    return sql`${told} delivered_run_id = coalesce(pending_run_id, delivered_run_id), pending_run_id = null,
      pending_mirror = null, accepted_at = case when ${outcome.isSent} then now() else accepted_at end,
      failures = 0, error_message = null, failed_at = null, next_attempt_at = null`
  }
  // guard: a digest that may have been accepted
  const pending = sql`pending_run_id = case when ${outcome.mayBeAccepted} then pending_run_id end,
    pending_mirror = case when ${outcome.mayBeAccepted} then pending_mirror end`
  if (outcome.kind === 'released') return pending
  return sql`${pending}, failures = failures + 1, error_message = ${outcome.error}, failed_at = now(),
    next_attempt_at = now() + ${outcome.retryInMs} * interval '1 millisecond'`
}
