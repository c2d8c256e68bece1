import { NEVER } from '../../common/abort.ts'
import { connect, type Database } from '../../db/connect.ts'
import type { Lease } from '../../db/lease/lease.ts'
import { migrate, requireVersion, schemaState } from '../../db/migrate.ts'
import { Planner } from '../../load/dry-run/planner.ts'
import type { ResolvedOptions } from '../options.ts'
import type { MirrorAccess } from '../run-context.ts'
import { openSuppressions, type OpenSuppressions } from './suppressions.ts'
import { haveRulesOfRunChanged } from './field-rules.ts'
import { readAccount } from './find-account.ts'
import { openExisting } from './open-mirror.ts'

/**
 * Opens the mirror as it is. What the run would write it compares in read-only transactions. Where there is no mirror yet,
 * an empty one in memory stands for it.
 */
export async function openToPlan(
  settings: ResolvedOptions,
  opened: AsyncDisposableStack,
): Promise<{
  readonly mirror: MirrorAccess
  readonly suppressed: OpenSuppressions
  readonly rulesChanged: boolean
}> {
  const database = opened.use(await openAsItIs(settings))
  const account = await readAccount(database, settings)
  const suppressed = await openSuppressions(database.kysely, account, settings.personKey)
  const load = new Planner(settings.dryRun?.maxKeys ?? 0)
  const write: MirrorAccess['write'] = async (work, { isLast = false } = {}) => {
    if (!isLast) settings.signal?.throwIfAborted()
    // guard: read-only transactions
    return database.transaction(work, { readOnly: true, everyRow: true })
  }
  const { rows } = await database.transaction((trx) => trx.query('select now()'), { readOnly: true })
  const lease = leaseOfNothing(String(rows[0]?.[0]))
  return {
    mirror: { database, account, lease, load, plan: (trx) => load.plan(trx, account.id), write },
    suppressed,
    rulesChanged: haveRulesOfRunChanged(account, settings),
  }
}

async function openAsItIs(settings: ResolvedOptions): Promise<Database> {
  const database = await openExisting(settings)
  if (database === null) return openEmpty()
  try {
    const { current } = await schemaState(database)
    // guard: mirror of nothing
    if (current === 0) {
      await database.close()
      return await openEmpty()
    }
    requireVersion(current)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A mirror in memory without a row: against it everything counts as an insert. */
async function openEmpty(): Promise<Database> {
  const database = await connect('pglite:memory')
  await migrate(database)
  return database
}

/** A dry run holds no account: others go on beside it. */
function leaseOfNothing(startedAt: string): Lease {
  return {
    runId: '0',
    startedAt,
    lost: NEVER,
    fence: async () => {},
    close: async () => {},
    withdraw: async () => {},
    stopHeartbeat: async () => {},
    giveUp: () => {},
  }
}
