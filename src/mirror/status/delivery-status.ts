import { sql } from 'kysely'
import type { MirrorState, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'

/** How a digest or a notice reaches one recipient. */
export interface DeliveryStatus {
  readonly kind: 'digest' | 'notice'
  /** Of the digest; of a notice `mirror`. */
  readonly name: string
  /** Of one event; null: of all. */
  readonly event_id: string | null
  /** The address; of the web without its path, which is a secret. */
  readonly recipient: string
  /** The last run of which an accepted message told; null before the first one, and of a notice. */
  readonly delivered_run_id: number | null
  /** When the recipient's server accepted the last message; null before the first one. */
  readonly accepted_at: Timestamp | null
  /** How often in a row it could not be delivered. */
  readonly failures: number
  /** Why not; null while all is well. */
  readonly error: string | null
  readonly failed_at: Timestamp | null
  readonly next_attempt_at: Timestamp | null
  /** Of a notice: what was told last. */
  readonly state: MirrorState | null
}

/** Of these accounts, by their numbers. */
export async function readDeliveryStatuses(
  kysely: Transaction['kysely'],
  accounts: readonly number[],
): Promise<ReadonlyMap<number, readonly DeliveryStatus[]>> {
  const { rows } = await sql<DeliveryStatus & { readonly account_id: number }>`
    select account_id, kind, name, event_id, recipient, delivered_run_id::float8, accepted_at, failures, error_message as error,
           failed_at, next_attempt_at, state
      from headcount.deliveries
     where account_id = any (${accounts}::int[])
     order by id`.execute(kysely)
  const found = Map.groupBy(rows, ({ account_id }) => account_id)
  return new Map(
    [...found].map(([account, deliveries]) => [account, deliveries.map(({ account_id: _, ...own }) => own)]),
  )
}
