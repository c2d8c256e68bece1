import { commandName } from '../../../common/command-name.ts'
import { UsageError } from '../../../common/errors.ts'
import type { Database, DatabaseLog } from '../../../db/database.ts'
import { holdAccount } from '../../../db/lease/hold-account.ts'
import type { LeaseMode } from '../../../common/schema/tables.ts'

interface HoldOptions {
  readonly mode: Extract<LeaseMode, 'move' | 'backup'>
  readonly signal: AbortSignal
  readonly log?: DatabaseLog | undefined
}

/**
 * Holds every account of the mirror: no run goes on meanwhile, and none begins.
 *
 * @param work given how many there are; its signal is aborted, too, when another run took an account over
 * @throws UsageError when there is none; AccountLockedError when a run holds one of them; what the work throws
 */
export async function holdAccounts<T>(
  database: Database,
  options: HoldOptions,
  work: (accounts: number, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const accounts = await database.kysely.selectFrom('headcount.accounts').select('id').orderBy('id').execute()
  if (accounts.length === 0)
    throw new UsageError(
      `The mirror has no account yet: there is nothing to ${options.mode === 'move' ? 'move' : 'back up'}. Run: ${commandName()} sync`,
    )
  const hold = (index: number, signal: AbortSignal): Promise<T> => {
    const account = accounts[index]
    if (account === undefined) return work(accounts.length, signal)
    return holdAccount(database, { ...options, accountId: account.id }, ({ lost }) =>
      hold(index + 1, AbortSignal.any([signal, lost])),
    )
  }
  return hold(0, options.signal)
}
