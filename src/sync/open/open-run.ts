import { connect } from '../../db/connect.ts'
import type { Database } from '../../db/connect.ts'
import { takeLease } from '../../db/lease/lease.ts'
import type { Lease } from '../../db/lease/lease.ts'
import { migrate, requireSchema } from '../../db/migrate.ts'
import type { RunMode } from '../../common/schema/tables.ts'
import { countLiveRows, deletedSinceLastRead } from '../../load/diff/live-counts.ts'
import { createPlanner } from '../../load/dry-run/planner.ts'
import { postgresLoader } from '../../load/loader.ts'
import { readStates } from '../../load/state/sync-state.ts'
import { DeletionBudget } from '../deletions/budget.ts'
import { ListsRead } from '../deletions/emptied-lists.ts'
import type { HoldPolicy } from '../deletions/guard.ts'
import { UnconfirmedLists } from '../deletions/unconfirmed-lists.ts'
import { Observations } from '../drift/observations.ts'
import type { FirstResponses } from '../fetch/event-list.ts'
import type { ResolvedOptions } from '../options.ts'
import type { MirrorAccess, ReadContext, RunContext } from '../run-context.ts'
import { RunStats } from '../run-stats.ts'
import { resumeOrStartBackfill } from '../select/backfill.ts'
import type { Backfill } from '../select/backfill.ts'
import { inFencedTransaction } from '../write/fenced-transaction.ts'
import { memoizeQuery } from './ask-once.ts'
import {
  findAccount,
  findAccountId,
  requireKnownAccount,
  requireAccountName,
  requireNotRemoved,
} from './find-account.ts'
import { hasSchema, openExisting, openMirror } from './open-mirror.ts'
import { logTo, openSource, progressOf } from './open-source.ts'

/** An account that the mirror does not have has no rows: no account has this number. */
const NO_ACCOUNT = 0

/** A run before it looks at the mirror. */
export type Unopened = Omit<ReadContext, 'mirror' | typeof Symbol.asyncDispose>

/**
 * Begins a run. `write` takes the account, and makes or migrates the mirror first; `plan` (a dry run) compares what it
 * would write; `read` (`verify`) only reads. The last two take neither account nor lock: others go on beside them.
 *
 * @throws AccountLockedError, UnknownAccountError, SchemaVersionError, DatabaseError; where there is no mirror yet, what
 * the service's refusal is.
 */
export function openRun(access: 'read', settings: ResolvedOptions): Promise<ReadContext>
export function openRun(
  access: 'write' | 'plan',
  settings: ResolvedOptions,
  mode: RunMode,
): Promise<RunContext>
export async function openRun(
  access: 'write' | 'plan' | 'read',
  settings: ResolvedOptions,
  mode: RunMode = 'sync',
): Promise<ReadContext> {
  await using opened = new AsyncDisposableStack()
  const run = prepareRun(settings, opened)
  const context =
    access === 'read'
      ? { ...run, mirror: await openToRead(settings, opened) }
      : contextOf(
          run,
          mode,
          access === 'plan' ? await openToPlan(settings, opened) : await openToWrite(run, mode, opened),
        )
  const resources = opened.move()
  return { ...context, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Prepares the source and the counts; the source is closed with `opened`. */
export function prepareRun(settings: ResolvedOptions, opened: AsyncDisposableStack): Unopened {
  settings.signal?.throwIfAborted()
  const stopping = new AbortController()
  const signal = settings.signal ? AbortSignal.any([stopping.signal, settings.signal]) : stopping.signal
  const stats = new RunStats(() => settings.onProgress(progressOf(stats, source)))
  const source = openSource(settings, signal, () => stats.report())
  opened.defer(() => source.close())
  return {
    settings,
    source,
    initial: { states: new Map() },
    stats,
    signal,
    stop: (cause) => stopping.abort(cause),
  }
}

/** The mirror of a run, and what is known of the run by then. */
interface Opened {
  readonly mirror: MirrorAccess
  readonly backfill: Backfill | null
  readonly answers: FirstResponses | null
}

/** What the transaction that begins a run finds. */
interface FoundAtStart {
  backfill: Backfill | null
  /** Another run has filled the mirror since the service answered. */
  isMirrored: boolean
}

function contextOf(run: Unopened, mode: RunMode, { mirror, backfill, answers }: Opened) {
  const { account, lease, plan } = mirror
  return {
    ...run,
    mode,
    mirror,
    initial: {
      states: run.initial.states,
      backfill,
      firstResponses: answers,
      // A dry run has counted rows that it has not written.
      liveCounts: memoizeQuery(async (kysely) => {
        const now = await countLiveRows(kysely, account.id)
        return plan === null ? run.stats.countsBefore(now) : now
      }),
      deletedBefore: memoizeQuery((kysely) => deletedSinceLastRead(kysely, account.id, lease.runId)),
    },
    deletions: {
      policy: holdPolicyOf(lease, run.settings),
      budget: new DeletionBudget(),
      listsRead: new ListsRead(),
      unconfirmed: new UnconfirmedLists(),
    },
    pending: {
      unchanged: [],
      failures: [],
      observations: new Observations({
        account: account.id,
        load: mirror.load,
        redact: run.settings.redact,
      }),
    },
  } satisfies Omit<RunContext, typeof Symbol.asyncDispose>
}

/** How this run takes deletions. */
function holdPolicyOf({ startedAt }: Lease, { holdForMs, acceptDeletions }: ResolvedOptions): HoldPolicy {
  return { now: startedAt, runNow: new Date().toISOString(), holdForMs, acceptDeletions }
}

/** Opens the database, brings its schema up to date and takes the account. */
async function openToWrite(run: Unopened, mode: RunMode, opened: AsyncDisposableStack): Promise<Opened> {
  const { settings, signal, stop } = run
  const { database, answers } = await openMirror(run)
  opened.use(database)
  // guard: unknown name
  await requireKnownAccount(database, settings)
  await migrate(database)
  const account = { id: await findAccount(database, settings), name: settings.account }
  const joinsBackfill = mode === 'backfill' && settings.events === null
  const found: FoundAtStart = { backfill: null, isMirrored: false }
  const lease = await takeLease(database, {
    accountId: account.id,
    mode,
    namedEventsOnly: settings.events !== null,
    begin: async (trx, runId) => {
      await requireNotRemoved(trx, account.id, account.name)
      if (joinsBackfill)
        found.backfill = await resumeOrStartBackfill(trx, runId, account.id, settings.restart)
      if (answers !== null) found.isMirrored = (await readStates(trx.kysely, account.id)).size > 0
    },
    signal,
    log: logTo(settings.logger),
    onHeartbeat: settings.onAlive,
  })
  // From here on nothing may fail: the run is on record, and only what is given back is closed.
  opened.defer(() => lease.stopHeartbeat())
  lease.lost.addEventListener('abort', () => stop(lease.lost.reason), { once: true })
  const write: MirrorAccess['write'] = async (work, { isLast = false, bytes = 0 } = {}) => {
    if (!isLast) settings.signal?.throwIfAborted()
    return inFencedTransaction(database, lease, work, { durable: isLast, contentBytes: bytes })
  }
  const mirror = { database, account, lease, load: postgresLoader, plan: null, write }
  return { mirror, backfill: found.backfill, answers: found.isMirrored ? null : answers }
}

/**
 * Opens the mirror as it is. What the run would write it compares in read-only transactions. Where there is no mirror yet,
 * an empty one in memory stands for it.
 */
async function openToPlan(settings: ResolvedOptions, opened: AsyncDisposableStack): Promise<Opened> {
  const database = opened.use(await openAsItIs(settings))
  const account = await readAccount(database, settings)
  const planned = createPlanner(settings.dryRun?.mostKeys ?? 0)
  const write: MirrorAccess['write'] = async (work, { isLast = false } = {}) => {
    if (!isLast) settings.signal?.throwIfAborted()
    // guard: read-only transactions
    return database.transaction(work, { readOnly: true })
  }
  const lease = leaseOfNothing(await readClock(database))
  const mirror = { database, account, lease, load: planned, plan: () => planned.plan(), write }
  return { mirror, backfill: null, answers: null }
}

/** Opens a mirror that must be there. */
async function openToRead(
  settings: ResolvedOptions,
  opened: AsyncDisposableStack,
): Promise<ReadContext['mirror']> {
  const database = opened.use(
    await connect(settings.target, { createFolder: false, log: logTo(settings.logger) }),
  )
  await requireSchema(database)
  return { database, account: await readAccount(database, settings, 'Nothing was compared.') }
}

/** The account of a run that takes none. */
async function readAccount(database: Database, settings: ResolvedOptions, remedy?: string) {
  await requireAccountName(database.kysely, settings, remedy)
  const id = await findAccountId(database.kysely, settings.account)
  return { id: id ?? NO_ACCOUNT, name: settings.account }
}

async function openAsItIs(settings: ResolvedOptions): Promise<Database> {
  const database = await openExisting(settings)
  if (database === null) return openEmpty()
  try {
    // guard: mirror of nothing
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
