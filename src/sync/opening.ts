import type { Kysely } from 'kysely'
import { connect } from '../db/connect.ts'
import type { Database } from '../db/connect.ts'
import { takeLease } from '../db/lease.ts'
import type { Lease } from '../db/lease.ts'
import { migrate } from '../db/migrate.ts'
import type { RunMode, Tables } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { DatabaseError } from '../errors.ts'
import type { FailedState, ListState, UnchangedState } from '../load/state.ts'
import { countLive } from '../load/survey.ts'
import type { LiveCounts } from '../load/survey.ts'
import type { Source } from '../source/api.ts'
import { createRedactor } from '../source/redact.ts'
import { logTo, openSource } from './open-source.ts'
import type { Progress, Settings } from './options.ts'
import type { HoldPolicy, Removals } from './deletions.ts'
import { writeFenced } from './fenced.ts'
import { joinBackfill } from './resuming.ts'
import type { Backfill } from './resuming.ts'
import { Observations } from './observations.ts'
import { Tally } from './report.ts'

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
  /** Of a backfill of the whole account; null of any other run. */
  readonly backfill: Backfill | null
  /** What was known of each list when the run began; recalled first of all. */
  states: ReadonlyMap<string, ListState>
  /** Live rows of the account when the run began; counted when something is to be removed, for it takes a scan. */
  liveAtStart(kysely: Kysely<Tables>): Promise<LiveCounts>
  readonly holdPolicy: HoldPolicy
  readonly tally: Tally
  readonly observations: Observations
  /** Lists found as they were, stamped when the run closes. */
  readonly unchanged: UnchangedState[]
  /** Lists that could not be read, noted when the run closes. */
  readonly failures: FailedState[]
  /** What the run has removed so far: the brake looks at it. */
  removals: Removals
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

export interface WriteOptions {
  /** The transaction that closes the run. */
  readonly isLast?: boolean
  /** About how many bytes of content it writes. */
  readonly bytes?: number
}

/** Opens the database, brings its schema up to date, prepares the source and takes the account. */
export async function openRun(mode: RunMode, settings: Settings): Promise<OpenRun> {
  const startedMs = performance.now()
  settings.signal?.throwIfAborted()
  await using opened = new AsyncDisposableStack()
  const stopping = new AbortController()
  const signal = settings.signal ? AbortSignal.any([stopping.signal, settings.signal]) : stopping.signal
  const log = logTo(settings.logger)
  const source = openSource(settings, signal)
  opened.defer(() => source.close())
  const database = opened.use(await connect(settings.target, { log }))
  await migrate(database)
  const account = { id: await makeAccount(database, settings.account), name: settings.account }
  const lease = await takeLease(database, {
    accountId: account.id,
    mode,
    selective: settings.events !== null,
    signal,
    log,
    onBeat: settings.onAlive,
  })
  opened.defer(() => lease.stopHeartbeat())
  lease.lost.addEventListener('abort', () => stopping.abort(lease.lost.reason), { once: true })
  const backfill =
    mode === 'backfill' && settings.events === null
      ? await joinBackfill(database, lease, account.id, settings.restart)
      : null
  const tally = new Tally()
  let live: LiveCounts | null = null
  const resources = opened.move()
  return {
    mode,
    startedMs,
    settings,
    database,
    source,
    account,
    lease,
    backfill,
    states: new Map(),
    liveAtStart: async (kysely) => (live ??= tally.before(await countLive(kysely, account.id))),
    holdPolicy: {
      now: lease.startedAt,
      holdForMs: settings.holdForMs,
      acceptDeletions: settings.acceptDeletions,
    },
    tally,
    observations: new Observations(),
    unchanged: [],
    failures: [],
    removals: { removed: 0, braked: false },
    signal,
    stop: (cause) => stopping.abort(cause),
    conceal: createRedactor(settings.apiKey).text,
    write: async (work, { isLast = false, bytes = 0 } = {}) => {
      if (!isLast) settings.signal?.throwIfAborted()
      return writeFenced(database, lease, work, { durable: isLast, contentBytes: bytes })
    },
    progress: (phase) =>
      settings.onProgress({
        phase,
        events: { done: tally.done, total: tally.due, skipped: tally.skipped },
        responses: tally.responsesRead,
        changedRows: tally.changedRows,
        retries: source.counts.retries,
        bytes: source.counts.bytesReceived,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The account's number; its row is made when this is its first run. */
async function makeAccount({ kysely }: Database, name: string): Promise<number> {
  const find = kysely.selectFrom('headcount.accounts').select('id').where('name', '=', name)
  const known = await find.executeTakeFirst()
  if (known) return known.id
  await kysely
    .insertInto('headcount.accounts')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await find.executeTakeFirst()
  if (made) return made.id
  throw new DatabaseError(
    `The account "${name}" could not be stored. Look for triggers on headcount.accounts.`,
  )
}
