import type { Transaction } from '../db/transaction.ts'

/** Stores what the mirror is built from; an e-mail that the service does not tell stays as it was. */
export async function recordIdentity(
  trx: Transaction,
  account: number,
  { email, base_url }: { readonly email: string | null; readonly base_url: string },
): Promise<void> {
  await trx.kysely
    .updateTable('headcount.accounts')
    .set({ base_url, ...(email !== null && { email }) })
    .where('id', '=', account)
    .execute()
}
