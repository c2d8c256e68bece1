import { sql, type Kysely } from 'kysely'
import type { Tables } from '../common/schema/tables.ts'
import type { Transaction } from '../db/transaction.ts'

/** The source of the mirror's data: who the service says we are, where, and by which key. */
export interface Identity {
  readonly email: string | null
  readonly base_url: string
  /** SHA-256 in hexadecimal digits. */
  readonly key_sha256: string
}

/**
 * Stores the source of the mirror's data.
 *
 * @param isOther another account or address than before: tags, due times and unconfirmed absences are then deleted, and
 * every list is read again. Digests stay, for they depend on the content alone.
 */
export async function saveIdentity(
  trx: Transaction,
  account: number,
  { email, base_url, key_sha256 }: Identity,
  isOther: boolean,
): Promise<void> {
  await trx.kysely
    .updateTable('headcount.accounts')
    .set({ email, base_url, key_sha256 })
    .where('id', '=', account)
    .execute()
  if (!isOther) return
  await trx.kysely
    .updateTable('headcount.sync_state')
    .set({
      etag: null,
      next_check_at: null,
      poll_interval_s: null,
      backfill_id: null,
      unconfirmed_absences: null,
    })
    .where('account_id', '=', account)
    .execute()
}

/** The live events. `is_past` is by the database's clock; an event without a time is never past. */
export function readEvents(
  kysely: Kysely<Tables>,
  account: number,
): Promise<readonly { readonly id: string; readonly is_past: boolean }[]> {
  return kysely
    .selectFrom('headcount.events')
    .select(['id', sql<boolean>`coalesce(event_at < now(), false)`.as('is_past')])
    .where('account_id', '=', account)
    .execute()
}
