import type { Database, DatabaseLog } from '../../../db/database.ts'
import { holdAccount } from '../../../db/lease/hold-account.ts'
import type { LeaseMode } from '../../../common/schema/tables.ts'

/** An account of the mirror. */
export interface HeldAccount {
  readonly id: number
  readonly name: string
}

interface HoldOptions {
  readonly mode: Extract<LeaseMode, 'move' | 'backup'>
  readonly signal: AbortSignal
  readonly log?: DatabaseLog | undefined
}

/**
 * Holds every account of the mirror: no run goes on meanwhile, and none begins.
 *
 * @param work its signal is aborted, too, when another run took an account over
 * @throws AccountLockedError when a run holds one of them; what the work throws
 */
export async function holdAccounts<T>(
  database: Database,
  options: HoldOptions,
  work: (accounts: readonly HeldAccount[], signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const accounts = await database.kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name'])
    .orderBy('id')
    .execute()
  const hold = (index: number, signal: AbortSignal): Promise<T> => {
    const account = accounts[index]
    if (account === undefined) return work(accounts, signal)
    return holdAccount(database, { ...options, accountId: account.id }, ({ lost }) =>
      hold(index + 1, AbortSignal.any([signal, lost])),
    )
  }
  return hold(0, options.signal)
}
