import { NEVER, onAbort } from '../../common/abort.ts'
import { connect, type Database } from '../../db/connect.ts'
import { takeLease } from '../../db/lease/lease.ts'
import { migrate, requireSchema, SCHEMA_VERSION } from '../../db/migrate.ts'
import type { RunMode, Tables } from '../../common/schema/tables.ts'
import { countLiveRows, deletedSinceLastRead } from '../../load/diff/live-counts.ts'
import { postgresLoader } from '../../load/loader.ts'
import { readStates } from '../../load/state/sync-state.ts'
import { DeletionBudget } from '../deletions/budget.ts'
import { ListsRead } from '../deletions/emptied-lists.ts'
import { UnconfirmedLists } from '../deletions/unconfirmed-absences.ts'
import { Observations } from '../drift/observations.ts'
import { logTo, resolveOptions, type ResolvedOptions, type RunOptions } from '../options.ts'
import type { InitialState, MirrorAccess, ReadContext, RunContext } from '../run-context.ts'
import { RunStats } from '../run-stats.ts'
import { resumeOrStartBackfill, type Backfill } from '../select/backfill.ts'
import { inFencedTransaction } from '../write/fenced-transaction.ts'
import type { Kysely } from 'kysely'
import {
  accountWithoutRows,
  makeAccount,
  readAccount,
  readAccountToWrite,
  requireKnownAccount,
} from './find-account.ts'
import { openMirror } from './open-mirror.ts'
import { openToPlan } from './open-plan.ts'
import { NO_SUPPRESSIONS, openSuppressions, type OpenSuppressions } from './suppressions.ts'
import { adoptRules, requireSameRules } from './field-rules.ts'
import { openSource, progressOf } from './open-source.ts'

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
  const quoting = quotingOf(settings)
  const run = prepareRun(settings, opened, quoting)
  let context: Omit<ReadContext, typeof Symbol.asyncDispose>
  if (access === 'read') {
    const { suppressed, ...read } = await openToRead(settings, opened)
    forbidIfSuppressed(quoting, suppressed)
    context = { ...run, ...read }
  } else {
    const found = await (access === 'plan' ? openToPlan(settings, opened) : openToWrite(run, mode, opened))
    forbidIfSuppressed(quoting, found.suppressed)
    context = contextOf(run, mode, found)
  }
  const resources = opened.move()
  return { ...context, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Whether messages may quote what the service answers: they are stored, and nobody takes personal data out of them. */
interface Quoting {
  isAllowed: boolean
}

function quotingOf({ rules, forgetAfterMs }: ResolvedOptions): Quoting {
  return { isAllowed: rules === null && forgetAfterMs === null }
}

function forbidIfSuppressed(quoting: Quoting, suppressed: OpenSuppressions): void {
  if (suppressed !== NO_SUPPRESSIONS) quoting.isAllowed = false
}

/** Prepares the source and the counts; the source is closed with `opened`. */
function prepareRun(settings: ResolvedOptions, opened: AsyncDisposableStack, quoting: Quoting): Unopened {
  settings.signal?.throwIfAborted()
  const stopping = new AbortController()
  const { signal } = stopping
  // Not AbortSignal.any: each check of such a signal checks all its sources.
  opened.defer(onAbort(settings.signal ?? NEVER, (reason) => stopping.abort(reason)))
  const stats = new RunStats(() => settings.onProgress(progressOf(stats, source)))
  const source = openSource(settings, signal, {
    onSlowdown: () => stats.report(),
    mayQuote: () => quoting.isAllowed,
  })
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
type Opened = {
  readonly mirror: MirrorAccess
  readonly suppressed: OpenSuppressions
  readonly rulesChanged: boolean
} & Partial<Pick<InitialState, 'backfill' | 'firstResponses'>>

function contextOf(
  run: Unopened,
  mode: RunMode,
  { mirror, suppressed, rulesChanged, backfill = null, firstResponses = null }: Opened,
) {
  const { account, lease, plan } = mirror
  const { holdForMs, acceptDeletions, redact } = run.settings
  return {
    ...run,
    mode,
    mirror,
    initial: {
      ...suppressed,
      rulesChanged,
      states: run.initial.states,
      backfill,
      firstResponses,
      // A dry run has counted rows that it has not written.
      liveCounts: memoizeQuery(async (kysely) => {
        const now = await countLiveRows(kysely, account.id)
        return plan === null ? run.stats.countsBefore(now) : now
      }),
      deletedBefore: memoizeQuery((kysely) => deletedSinceLastRead(kysely, account.id, lease.runId)),
    },
    deletions: {
      policy: { now: lease.startedAt, runNow: new Date().toISOString(), holdForMs, acceptDeletions },
      budget: new DeletionBudget(),
      listsRead: new ListsRead(),
      unconfirmed: new UnconfirmedLists(),
    },
    pending: {
      unchanged: [],
      failures: [],
      observations: new Observations({ account: account.id, load: mirror.load, redact }),
    },
  } satisfies Omit<RunContext, typeof Symbol.asyncDispose>
}

/** Logs the migration of an existing mirror: an older program refuses the new schema. */
async function migrateAndLog(database: Database, { logger, signal }: ResolvedOptions): Promise<void> {
  const applied = await migrate(database, signal, logTo(logger))
  const isNew = applied[0]?.number === 1
  if (isNew || applied.length === 0) return
  const numbers = applied.map(({ number }) => number).join(', ')
  logger.info({ migrations: numbers }, `The schema of the mirror was updated: migration ${numbers}.`)
}

/** Opens the database, brings its schema up to date and takes the account. */
async function openToWrite(run: Unopened, mode: RunMode, opened: AsyncDisposableStack): Promise<Opened> {
  const { settings, signal, stop } = run
  const { database, version, firstResponses } = await openMirror(run)
  opened.use(database)
  // guard: unknown name
  const known = await requireKnownAccount(database, settings)
  if (version !== SCHEMA_VERSION) await migrateAndLog(database, settings)
  const id = known ?? (await database.transaction((trx) => makeAccount(trx, settings)))
  const joinsBackfill = mode === 'backfill' && settings.events === null
  const found = {
    account: accountWithoutRows(id, settings.account),
    suppressed: NO_SUPPRESSIONS,
    rulesChanged: false,
    backfill: null as Backfill | null,
    // Null also when another run has filled the mirror since the service answered.
    firstResponses,
  }
  const lease = await takeLease(database, {
    accountId: id,
    mode,
    namedEventsOnly: settings.events !== null,
    begin: async (trx, runId) => {
      const { account, isSuppressing } = await readAccountToWrite(trx, id, settings)
      found.account = account
      found.suppressed = isSuppressing
        ? await openSuppressions(trx.kysely, account, settings.personKey)
        : NO_SUPPRESSIONS
      found.rulesChanged = await adoptRules(trx, account, settings)
      if (joinsBackfill) found.backfill = await resumeOrStartBackfill(trx, runId, id, settings.restart)
      const isMirrored = firstResponses !== null && (await readStates(trx.kysely, id)).size > 0
      found.firstResponses = isMirrored ? null : firstResponses
    },
    signal,
    log: logTo(settings.logger),
    onHeartbeat: settings.onAlive,
  })
  // From here on nothing may throw: the run is recorded, and only what this function returns is closed.
  opened.defer(() => lease.stopHeartbeat())
  onAbort(lease.lost, stop)
  const write: MirrorAccess['write'] = async (work, { isLast = false, bytes = 0 } = {}) => {
    if (!isLast) settings.signal?.throwIfAborted()
    return inFencedTransaction(database, lease, work, { batch: true, durable: isLast, contentBytes: bytes })
  }
  const { account, ...initial } = found
  return { mirror: { database, account, lease, load: postgresLoader, plan: null, write }, ...initial }
}

/** Opens a mirror that must be there. */
async function openToRead(
  settings: ResolvedOptions,
  opened: AsyncDisposableStack,
): Promise<Pick<ReadContext, 'mirror'> & Pick<Opened, 'suppressed'>> {
  const database = opened.use(
    await connect(settings.target, {
      createFolder: false,
      log: logTo(settings.logger),
      signal: settings.signal,
    }),
  )
  await requireSchema(database)
  const account = await readAccount(database, settings, 'Nothing was compared.')
  const suppressed = await openSuppressions(database.kysely, account, settings.personKey)
  requireSameRules(account, settings.rules)
  return { mirror: { database, account }, suppressed }
}

/**
 * Opens the mirror that a program serves and keeps up to date. Where there is none the service is asked first, as by a
 * run: a key that is refused leaves nothing behind.
 *
 * @throws as openMirror.
 */
export async function openMirrorToServe(options: RunOptions): Promise<Database> {
  await using opened = new AsyncDisposableStack()
  const settings = resolveOptions(options)
  const { database } = await openMirror(prepareRun(settings, opened, quotingOf(settings)))
  return database
}

/** A query that is run once; again only when it failed. */
function memoizeQuery<T>(
  ask: (kysely: Kysely<Tables>) => Promise<T>,
): (kysely: Kysely<Tables>) => Promise<T> {
  let asked: Promise<T> | null = null
  return async (kysely) => {
    asked ??= ask(kysely)
    try {
      return await asked
    } catch (error) {
      asked = null
      throw error
    }
  }
}
