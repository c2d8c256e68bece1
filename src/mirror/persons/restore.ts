import { sql } from 'kysely'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { changeList, type ErasureOptions } from './erase.ts'
import { readEntries } from './suppression-file.ts'

export interface RestoreReport {
  readonly account: string
  /** Whether the person was on the suppression list. */
  readonly was_erased: boolean
  /** Lists that the next sync reads whole, to bring the names back. */
  readonly lists: number
  /** People who were erased with a key that was replaced, and are known by the ids of their responses alone: one of them may be this person, and stays erased. */
  readonly known_by_ids: number
}

/**
 * Takes a person off the suppression list. The next sync brings back what the service still sends; former versions stay erased.
 *
 * @throws AccountLockedError while a run holds the account; UsageError when the key is another one than before
 */
export async function restorePerson(
  database: Database,
  emailKey: string,
  options: Pick<ErasureOptions, 'account' | 'key' | 'signal' | 'log'>,
): Promise<RestoreReport> {
  const none = { was_erased: false, lists: 0, known_by_ids: 0 }
  const {
    lease,
    account: _,
    ...found
  } = await changeList(database, { ...options, replaceKey: false }, none, async (trx, account) => {
    const stored = await readEntries(trx, account)
    const removed = await removeEntry(trx, account, options.key.hash(emailKey))
    return { ...removed, known_by_ids: stored.filter(({ email_hash }) => email_hash === null).length }
  })
  await lease.stopHeartbeat()
  await database.transaction((trx) => lease.withdraw(trx))
  return { account: options.account, ...found }
}

async function removeEntry({ kysely }: Transaction, account: number, hash: string) {
  const lists = await sql`
    update headcount.sync_state s set rewrite_due = true
     where s.account_id = ${account} and s.forgotten_at is null
       and exists (select from headcount.suppressed_responses k
                     join headcount.suppressions e on e.id = k.suppression_id and e.email_hash = decode(${hash}, 'hex')
                    where k.account_id = s.account_id and k.event_id = s.event_id)`.execute(kysely)
  const removed = await sql`
    delete from headcount.suppressions
     where account_id = ${account} and email_hash = decode(${hash}, 'hex')`.execute(kysely)
  return { was_erased: removed.numAffectedRows === 1n, lists: Number(lists.numAffectedRows) }
}
