import type { Kysely } from 'kysely'
import type { Database } from '../../db/connect.ts'
import { takeLease } from '../../db/lease/lease.ts'
import type { Lease } from '../../db/lease/lease.ts'
import { migrate } from '../../db/migrate.ts'
import type { Plan, RunMode, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { load } from '../../load/loader.ts'
import type { Load } from '../../load/loader.ts'
import { readStates } from '../../load/state/sync-state.ts'
import type { FailedState, ListState, UnchangedState } from '../../load/state/sync-state.ts'
import { countLive, goneSinceResponses } from '../../load/diff/live-counts.ts'
import type { LiveCounts } from '../../load/diff/live-counts.ts'
import type { Source } from '../../source/api.ts'
import { createRedactor } from '../../common/redact.ts'
import { logTo, openSource, sentAgain } from './open-source.ts'
import { openMirror } from './open-mirror.ts'
import type { FirstAnswers } from './open-mirror.ts'
import type { Progress, Settings } from '../options.ts'
import type { HoldPolicy } from '../deletions/guard.ts'
import { ListsRead } from '../deletions/emptied-lists.ts'
import { findAccount, requireKnownName, requireWhole } from './find-account.ts'
import { writeFenced } from '../write/fenced-transaction.ts'
import { askOnce } from './ask-once.ts'
import { joinBackfill } from '../select/backfill.ts'
import type { Backfill } from '../select/backfill.ts'
import { Observations } from '../drift/collector.ts'
import { RunRemovals } from '../deletions/budget.ts'
import { Tally } from '../run-stats.ts'
import { UnconfirmedLists } from '../deletions/unconfirmed-lists.ts'

/** A run that has begun: it holds its account until it is closed. */
export interface OpenRun extends AsyncDisposable {
  readonly mode: RunMode
  /** Monotonic clock at the start, in milliseconds. */
  readonly startedMs: number
  readonly settings: Settings
  readonly database: Database
  readonly source: Source
  readonly account: { readonly id: number; readonly name: string }
  readonly lease: Lease
  /** The door through which the mirror is changed; in a dry run only compared. */
  readonly load: Load
  /** Of a dry run: what it would write, so far. */
  readonly plan: (() => Plan) | null
  /** Of a backfill of the whole account; null of any other run. */
  readonly backfill: Backfill | null
  /** What the service answered before there was a mirror; null: it is still to be asked. */
  readonly answers: FirstAnswers | null
  /** What was known of each list when the run began (load-sync-state.ts). */
  states: ReadonlyMap<string, ListState>
  /**
   * Live rows of the account when the run began; counted when something is to be removed, for it takes a scan. What
   * another batch writes at that very moment may be missed: the count only bounds what looks like an outage.
   */
  liveAtStart(kysely: Kysely<Tables>): Promise<LiveCounts>
  /**
   * Rows that went since a list with responses was last read, in runs before this one; asked before this run stores
   * that rows of a list are missing, for that hides when the list was last read whole.
   */
  goneBefore(kysely: Kysely<Tables>): Promise<number>
  readonly holdPolicy: HoldPolicy
  readonly tally: Tally
  readonly observations: Observations
  /** Lists found as they were and not yet stamped; those that are left are when the run closes. */
  readonly unchanged: UnchangedState[]
  /** Lists that could not be read, noted when the run closes. */
  readonly failures: Failure[]
  readonly removals: RunRemovals
  /** What the lists of responses tell of the service as a whole. */
  readonly listsRead: ListsRead
  /** Lists in several pages that lacked rows, to be read once more. */
  readonly unconfirmed: UnconfirmedLists
  /** Aborted when the run must end: by the caller, its deadline, the loss of the lease, or `stop`. */
  readonly signal: AbortSignal
  stop(cause: unknown): void
  /** The text without the API key. */
  readonly conceal: (text: string) => string
  /**
   * A transaction that begins by making sure that this run still holds its account. None is begun once the
   * caller has aborted, but for the last, which closes the run and is durable.
   */
  write<T>(work: (trx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>
  progress(phase: Progress['phase']): void
}

/** An event that could not be read. */
export interface Failure extends FailedState {
  /** Its record is missing in the mirror, or not as it is listed now. */
  readonly isRecordOld: boolean
}

export interface WriteOptions {
  /** The transaction that closes the run. */
  readonly isLast?: boolean
  /** About how many bytes of content it writes. */
  readonly bytes?: number
}

/** Opens the database, brings its schema up to date, prepares the source and takes the account. */
export async function openRun(mode: RunMode, settings: Settings): Promise<OpenRun> {
  await using opened = new AsyncDisposableStack()
  const begun = beginRun(settings, opened)
  const { signal, stop } = begun
  const log = logTo(settings.logger)
  const { database, answers } = await openMirror(begun)
  opened.use(database)
  await requireKnownName(database, settings)
  await migrate(database)
  const account = { id: await findAccount(database, settings), name: settings.account }
  const lease = await takeLease(database, {
    accountId: account.id,
    mode,
    selective: settings.events !== null,
    check: (trx) => requireWhole(trx, account.id, account.name),
    signal,
    log,
    onBeat: settings.onAlive,
  })
  opened.defer(() => lease.stopHeartbeat())
  lease.lost.addEventListener('abort', () => stop(lease.lost.reason), { once: true })
  const backfill =
    mode === 'backfill' && settings.events === null
      ? await joinBackfill(database, lease, account.id, settings.restart)
      : null
  const { tally } = begun
  const resources = opened.move()
  return {
    ...begun,
    ...policyOf(lease, settings),
    mode,
    database,
    account,
    lease,
    backfill,
    // Unless another run filled the mirror meanwhile.
    answers: answers !== null && (await readStates(database.kysely, account.id)).size > 0 ? null : answers,
    load,
    plan: null,
    liveAtStart: askOnce(async (kysely) => tally.before(await countLive(kysely, account.id))),
    goneBefore: askOnce((kysely) => goneSinceResponses(kysely, account.id, lease.runId)),
    write: async (work, { isLast = false, bytes = 0 } = {}) => {
      if (!isLast) settings.signal?.throwIfAborted()
      return writeFenced(database, lease, work, { durable: isLast, contentBytes: bytes })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** What a run has before it looks at the database. */
type Begun = Omit<
  OpenRun,
  | 'mode'
  | 'database'
  | 'account'
  | 'lease'
  | 'backfill'
  | 'answers'
  | 'load'
  | 'plan'
  | 'liveAtStart'
  | 'goneBefore'
  | 'holdPolicy'
  | 'write'
  | typeof Symbol.asyncDispose
>

/** Prepares the source and the tally; the source is closed with `opened`. */
export function beginRun(settings: Settings, opened: AsyncDisposableStack): Begun {
  const startedMs = performance.now()
  settings.signal?.throwIfAborted()
  const stopping = new AbortController()
  const signal = settings.signal ? AbortSignal.any([stopping.signal, settings.signal]) : stopping.signal
  let phase: Progress['phase'] = 'events'
  const source = openSource(settings, signal, () => progress(phase))
  opened.defer(() => source.close())
  const tally = new Tally()
  const progress = (now: Progress['phase']): void => {
    phase = now
    settings.onProgress({
      phase,
      events: { done: tally.done, total: tally.due, skipped: tally.skipped },
      responses: tally.responsesRead,
      changedRows: tally.changedRows,
      retries: sentAgain(source),
      slowdown: source.slowdown,
      bytes: source.counts.bytesReceived,
    })
  }
  return {
    startedMs,
    settings,
    source,
    signal,
    stop: (cause: unknown) => stopping.abort(cause),
    conceal: createRedactor(settings.apiKey).text,
    tally,
    observations: new Observations(),
    progress,
    states: new Map<string, ListState>(),
    unchanged: [],
    failures: [],
    removals: new RunRemovals(),
    listsRead: new ListsRead(),
    unconfirmed: new UnconfirmedLists(),
  }
}

/** How this run takes deletions. */
export function policyOf({ startedAt }: Lease, settings: Settings): { readonly holdPolicy: HoldPolicy } {
  const { holdForMs, acceptDeletions } = settings
  const runNow = new Date().toISOString()
  return { holdPolicy: { now: startedAt, runNow, holdForMs, acceptDeletions } }
}
