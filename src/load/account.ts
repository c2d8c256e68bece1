import type { Transaction } from '../db/transaction.ts'

/**
 * Stores what the mirror is built from; an e-mail that the service does not tell stays as it was.
 *
 * @param isOther another account or address than before: its "not modified", the times at which lists were read and what
 * one reading lacked say nothing of the rows that are stored, so that every list is read again. Digests stay, for they are of content.
 */
export async function recordIdentity(
  trx: Transaction,
  account: number,
  { email, base_url }: { readonly email: string | null; readonly base_url: string },
  isOther: boolean,
): Promise<void> {
  await trx.kysely
    .updateTable('headcount.accounts')
    .set({ base_url, ...(email !== null && { email }) })
    .where('id', '=', account)
    .execute()
  if (!isOther) return
  await trx.kysely
    .updateTable('headcount.sync_state')
    .set({ etag: null, next_check_at: null, step: null, backfill_id: null, unconfirmed_absences: null })
    .where('account_id', '=', account)
    .execute()
}
