import { connect } from '../../db/connect.ts'
import type { Database } from '../../db/connect.ts'
import type { Lease } from '../../db/lease/lease.ts'
import { migrate, requireSchema } from '../../db/migrate.ts'
import type { RunMode } from '../../common/schema/tables.ts'
import { planning } from '../../load/dry-run/planner.ts'
import { countLive, goneSinceResponses } from '../../load/diff/live-counts.ts'
import { askOnce } from './ask-once.ts'
import { findReadable, requireName } from './find-account.ts'
import { hasSchema, openExisting } from './open-mirror.ts'
import { beginRun, policyOf } from './run-context.ts'
import type { OpenRun } from './run-context.ts'
import type { Settings } from '../options.ts'

/** An account that the mirror does not have has no rows: no account has this number. */
const NO_ACCOUNT = 0

/**
 * Opens the mirror as it is, only to be read: the run takes no account and no lock, and what it would write it
 * compares in read-only transactions. Where there is no mirror yet, an empty one in memory stands for it.
 *
 * @throws SchemaVersionError when the schema is of another version; DatabaseError.
 */
export async function openDryRun(
  mode: RunMode,
  settings: Settings,
  { mostKeys }: { readonly mostKeys: number },
): Promise<OpenRun> {
  await using opened = new AsyncDisposableStack()
  const begun = beginRun(settings, opened)
  const database = opened.use(await openAsItIs(settings))
  await requireName(database.kysely, settings)
  const id = await findReadable(database.kysely, settings.account)
  const account = { id: id ?? NO_ACCOUNT, name: settings.account }
  const lease = leaseOfNothing(await readClock(database))
  const load = planning(mostKeys)
  const resources = opened.move()
  return {
    ...begun,
    ...policyOf(lease, settings),
    mode,
    database,
    account,
    lease,
    backfill: null,
    answers: null,
    load,
    plan: () => load.plan(),
    liveAtStart: askOnce((kysely) => countLive(kysely, account.id)),
    goneBefore: askOnce((kysely) => goneSinceResponses(kysely, account.id, lease.runId)),
    write: async (work, { isLast = false } = {}) => {
      if (!isLast) settings.signal?.throwIfAborted()
      return database.transaction(work, { readOnly: true })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openAsItIs(settings: Settings): Promise<Database> {
  const database = await openExisting(settings)
  if (database === null) return openEmpty()
  try {
    if (!(await hasSchema(database))) {
      await database.close()
      return await openEmpty()
    }
    await requireSchema(database)
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

async function readClock(database: Database): Promise<string> {
  const { rows } = await database.transaction((trx) => trx.query('select now()'), { readOnly: true })
  return String(rows[0]?.[0])
}

/** A dry run holds no account: others go on beside it. */
function leaseOfNothing(startedAt: string): Lease {
  return {
    runId: '0',
    startedAt,
    lost: new AbortController().signal,
    fence: async () => {},
    close: async () => {},
    stopHeartbeat: async () => {},
  }
}
