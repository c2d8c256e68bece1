/** What the next run of an account will be refused for, by what the mirror holds of it: asked by `doctor`. */
import type { Database } from '../../db/connect.ts'
import { schemaState } from '../../db/migrate.ts'
import type { Identity } from '../../load/stored-identity.ts'
import type { ResolvedOptions } from '../options.ts'
import { RunStats } from '../run-stats.ts'
import { compareIdentity, mayBeOther } from './account-identity.ts'
import { readAccount, requireKnownAccount } from './find-account.ts'
import { openSuppressions } from './suppressions.ts'

/** What the service says of an account. */
export interface AccountAtService {
  readonly identity: Identity
  /** Reads the ids of its event list, which is needed only where it may be another account. */
  readonly listEvents: () => Promise<readonly string[]>
}

export interface Foreseen {
  /** `older`: only its name could be looked for, until the schema is up to date. `new`: its first run makes the account. */
  readonly account: 'no_mirror' | 'older' | 'new' | 'mirrored'
  /** As the run will give them. */
  readonly warnings: readonly string[]
}

/**
 * Asks in the order of a run, by the functions of a run, and writes nothing. Whether another run holds the account is not
 * asked: that is over when the next one begins.
 *
 * @param service null: it did not answer, and whose account this is is not compared
 * @throws what the run will throw
 */
export async function foreseeRefusal(
  database: Database,
  settings: ResolvedOptions,
  service: AccountAtService | null,
): Promise<Foreseen> {
  const { current, needed } = await schemaState(database)
  if (current === 0) return { account: 'no_mirror', warnings: [] }
  if (current !== needed) {
    await requireKnownAccount(database, settings)
    return { account: 'older', warnings: [] }
  }
  // guard: foreseen account
  const account = await readAccount(database, settings)
  // guard: foreseen list without its key
  await openSuppressions(database.kysely, account, settings.personKey)
  const stats = new RunStats(() => {})
  const run = { mirror: { database, account }, stats }
  // guard: foreseen other account
  if (service !== null && mayBeOther(account, service.identity)) {
    const { adopt } = settings
    const consequence = 'The next run goes on with the new one.'
    await compareIdentity(run, service.identity, await service.listEvents(), { adopt, consequence })
  }
  return { account: account.id === 0 ? 'new' : 'mirrored', warnings: stats.warnings }
}
