/**
 * One live run per account: a row in sync_runs with status `running` (a partial unique index allows only one), with a
 * heartbeat every 5 s. All times are from the database's clock.
 *
 * Every batch locks that row with `for key share`. A take-over locks it with `for update`: it waits for the batch in
 * flight, and the old run writes nothing more.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { AccountLockedError } from '../../common/errors.ts'
import type { JsonValue } from '../../common/json/exact.ts'
import { codeOf, LOCK_NOT_AVAILABLE, tableOfTakenNumber, UNIQUE_VIOLATION } from '../errors/sqlstate.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Database, DatabaseLog } from '../database.ts'
import { isRun, startHeartbeat, trackHeartbeatAge, type BegunRun, type LastHeartbeat } from './heartbeat.ts'
import {
  hasExited,
  formatProcess,
  parseProcessIdentity,
  currentProcess,
  type ProcessIdentity,
} from './process-identity.ts'
import { isGoodRun } from '../../common/schema/run-report.ts'
import type { ErasureReport, LeaseMode, RunReport, RunStatus } from '../../common/schema/tables.ts'
import type { Transaction } from '../transaction.ts'

/** A run with a younger heartbeat is alive. */
const ALIVE_FOR_S = 15
/** A run with an older heartbeat is dead, even when its process exists. */
const DEAD_AFTER_S = 30
/** Longer than the 20 s after which the server ends the transaction of a frozen process. */
const TAKE_OVER_LOCK_TIMEOUT_MS = 30_000

export interface Lease {
  /** sync_runs.id */
  readonly runId: string
  /** By the database's clock, in ISO 8601. */
  readonly startedAt: string
  /** Aborted with the error of `fence` once a heartbeat finds the run's row no longer. */
  readonly lost: AbortSignal
  /**
   * First statement of every batch.
   *
   * @throws LeaseLostError when another run has taken over; DatabaseError when the database has no such run any more
   */
  fence(trx: Transaction): Promise<void>
  /** Ends the run with its status and report. @throws as fence */
  close(
    trx: Transaction,
    status: Exclude<RunStatus, 'running'>,
    report: RunReport | ErasureReport,
  ): Promise<void>
  /** Takes a run that wrote nothing off the record. @throws as fence */
  withdraw(trx: Transaction): Promise<void>
  /** Resolves after the last beat. */
  stopHeartbeat(): Promise<void>
  /** Says that the run is over, though its end could not be stored: the next one of this process takes over at once. */
  giveUp(): void
}

export interface LeaseOptions {
  readonly accountId: number
  readonly mode: LeaseMode
  /**
   * Called at the end of the transaction that takes the lease. An error rolls that transaction back. It may be called
   * again when another run was faster.
   */
  readonly begin?: (trx: Transaction, runId: string) => Promise<void>
  /** Only named events are read: such a run proves nothing about the others. */
  readonly namedEventsOnly?: boolean
  /** This process by default. */
  readonly holder?: ProcessIdentity
  /** Ends the wait for the death of another run. */
  readonly signal?: AbortSignal | undefined
  readonly log?: DatabaseLog | undefined
  /** Called after each beat that was stored. */
  readonly onHeartbeat?: () => void
}

/** Runs of this process that are over and may still be `running` in their database. The time tells databases apart. */
const givenUp = new Set<string>()

const runKey = ({ id, startedAt }: Pick<BegunRun, 'id' | 'startedAt'>): string => `${id} ${startedAt}`

/**
 * Starts a run of the account, or takes over from a dead one.
 *
 * @throws AccountLockedError when another run holds the account and lives; the signal's reason; DatabaseError
 */
export async function takeLease(database: Database, options: LeaseOptions): Promise<Lease> {
  const { signal, log } = options
  const holder = options.holder ?? (await currentProcess())
  let watched: string | null = null
  const silenceOf = trackHeartbeatAge()
  // Hardly ever is there another run: it is looked for when this one could not begin.
  for (let dead: OtherRun | null = null; ;) {
    signal?.throwIfAborted()
    const opened = await beginRun(database, options, holder, dead)
    if (opened !== null) return createLease(database, opened, options)
    const other = await readRunning(database, options.accountId, '')
    dead = null
    if (other === null) continue
    const silence = silenceOf(other)
    const isDead =
      silence >= DEAD_AFTER_S ||
      // guard: runs given up
      givenUp.has(runKey(other)) ||
      (other.holder !== null && (await hasExited(other.holder)))
    if (isDead) {
      dead = other
      continue
    }
    // A beat in the future is no heartbeat of a live run: such a run sends another one within seconds.
    if (other.silence >= 0 && other.silence < ALIVE_FOR_S) throw accountLocked(other)
    if (watched !== other.id) {
      const fields = { run_id: other.id, silent_for_s: Math.round(silence) }
      const message = `Run ${other.id} of account ${stripControlCharsInLine(other.account)} sends no heartbeat; watching it for up to ${DEAD_AFTER_S} s`
      log?.('warn', message, fields)
    }
    watched = other.id
    await sleep(Math.min(1000, Math.max(50, (DEAD_AFTER_S - silence) * 1000)), undefined, { signal })
  }
}

interface OtherRun extends LastHeartbeat, Omit<BegunRun, 'token'> {
  /** Its name; its number when its row is gone. */
  readonly account: string
  readonly mode: LeaseMode
  readonly holder: ProcessIdentity | null
}

/** Uses `clock_timestamp()`: a take-over may wait for its lock, and `now()` is fixed within a transaction. */
async function readRunning(
  { kysely }: Pick<Database, 'kysely'>,
  accountId: number,
  lock: '' | 'for update',
): Promise<OtherRun | null> {
  const { rows } = await sql<Omit<OtherRun, 'holder'> & { readonly holder: JsonValue }>`
    select id, coalesce((select name from headcount.accounts where id = account_id), account_id::text) as account, mode, holder, started_at as "startedAt", heartbeat_at as beat,
           extract(epoch from clock_timestamp() - heartbeat_at)::float8 as silence
      from headcount.sync_runs
     where account_id = ${accountId} and status = 'running' ${sql.raw(lock)}
  `.execute(kysely)
  const [row] = rows
  return row === undefined ? null : { ...row, holder: parseProcessIdentity(row.holder) }
}

/** Null when another run is there: the number of one that does not begin is not used up. */
async function insertInto(
  trx: Transaction,
  { accountId, mode, namedEventsOnly = false, begin }: LeaseOptions,
  holder: ProcessIdentity,
): Promise<BegunRun | null> {
  const token = randomUUID()
  const { rows } = await sql<Omit<BegunRun, 'token'>>`
    insert into headcount.sync_runs (account_id, mode, named_events_only, status, holder)
    select ${accountId}, ${mode}, ${namedEventsOnly}, 'running', ${JSON.stringify({ ...holder, token })}
     where not exists (select from headcount.sync_runs where account_id = ${accountId} and status = 'running')
    returning id, started_at as "startedAt"`.execute(trx.kysely)
  const [run] = rows
  if (run === undefined) return null
  await begin?.(trx, run.id)
  return { ...run, token }
}

/**
 * Begins a run, and takes over from a dead one, if there is one. Null when another run is there: that one has sent another
 * heartbeat, or another process was faster.
 */
async function beginRun(
  database: Database,
  options: LeaseOptions,
  holder: ProcessIdentity,
  dead: OtherRun | null,
): Promise<BegunRun | null> {
  const work = async (trx: Transaction) => {
    if (dead !== null && !(await abandon(trx, options.accountId, dead))) return null
    return insertInto(trx, options, holder)
  }
  try {
    const run = await database.transaction(work, { lockTimeoutMs: TAKE_OVER_LOCK_TIMEOUT_MS })
    if (run !== null && dead !== null) {
      const state = givenUp.delete(runKey(dead)) ? 'whose end could not be stored' : 'which did not end'
      options.log?.('warn', `Took over from run ${dead.id} (${formatProcess(dead.holder)}), ${state}`)
    }
    return run
  } catch (error) {
    // guard: number that is taken
    if (tableOfTakenNumber(error) !== null) throw error
    if (codeOf(error) === UNIQUE_VIOLATION) return null
    if (dead !== null && codeOf(error) === LOCK_NOT_AVAILABLE)
      throw accountLocked(dead, ' It is in the middle of a batch.', error)
    throw error
  }
}

/** False when the run is not dead after all: its heartbeat is another one than before. */
async function abandon(trx: Transaction, accountId: number, dead: OtherRun): Promise<boolean> {
  const other = await readRunning(trx, accountId, /* guard: lock of the take-over */ 'for update')
  if (other === null) return true
  if (other.id !== dead.id || other.beat !== dead.beat) return false
  await trx.kysely
    .updateTable('headcount.sync_runs')
    .set({ status: 'abandoned', finished_at: sql`now()` })
    .where('id', '=', other.id)
    .execute()
  return true
}

function accountLocked(run: OtherRun, more = '', cause?: unknown): AccountLockedError {
  return new AccountLockedError(
    `Another run holds account ${stripControlCharsInLine(run.account)}: ${run.mode} ${run.id}, ${formatProcess(run.holder)}, since ${run.startedAt}, last heartbeat ${Math.max(0, Math.round(run.silence))} s ago.${more} Wait until it ends, or stop that process.`,
    { cause },
  )
}

function createLease(database: Database, run: BegunRun, options: LeaseOptions): Lease {
  const heartbeat = startHeartbeat(database, run, options)
  return {
    runId: run.id,
    startedAt: run.startedAt,
    lost: heartbeat.lost,
    fence: async (trx) => {
      const held = await trx.kysely
        .selectFrom('headcount.sync_runs')
        .select('id')
        .where(isRun(run))
        // guard: fence
        .where('status', '=', 'running')
        // guard: lock of the fence
        .forKeyShare()
        .executeTakeFirst()
      if (held === undefined) throw await heartbeat.end(trx)
    },
    close: async (trx, status, report) => {
      heartbeat.pause()
      const closed = await trx.kysely
        .updateTable('headcount.sync_runs')
        .set({
          status,
          good: !(options.namedEventsOnly ?? false) && report.mode !== 'erase' && isGoodRun(report),
          finished_at: sql`now()`,
          heartbeat_at: sql`now()`,
          report: JSON.stringify(report),
        })
        .where(isRun(run))
        .where('status', '=', 'running')
        .returning('id')
        .executeTakeFirst()
      // guard: close of a lost run
      if (closed === undefined) throw await heartbeat.end(trx)
    },
    withdraw: async (trx) => {
      heartbeat.pause()
      const { numDeletedRows } = await trx.kysely
        .deleteFrom('headcount.sync_runs')
        .where(isRun(run))
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throw await heartbeat.end(trx)
    },
    stopHeartbeat: heartbeat.stop,
    giveUp: () => void givenUp.add(runKey(run)),
  }
}
