import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import { toError } from '../../common/abort.ts'
import { DatabaseError, LeaseLostError } from '../../common/errors.ts'
import type { Tables } from '../../common/schema/tables.ts'
import type { Database, DatabaseLog } from '../database.ts'

const HEARTBEAT_INTERVAL_MS = 5000

/** A row of sync_runs, as its run began it. */
export interface BegunRun {
  /** sync_runs.id. A database that was set back gives it again. */
  readonly id: string
  /** By the database's clock, in ISO 8601. */
  readonly startedAt: string
  /** Stored with the holder; no other run has it. */
  readonly token: string
}

/** The condition on sync_runs for the row of this run, and of no later one that was given its number again. */
export const isRun =
  ({ id, token }: BegunRun) =>
  (row: ExpressionBuilder<Tables, 'headcount.sync_runs'>): Expression<SqlBool> =>
    row.and([
      row('id', '=', id),
      // guard: number given again
      sql<boolean>`holder->>'token' = ${token}`,
    ])

type Queries = Pick<Database, 'kysely'>

interface Heartbeat {
  /** Aborted with the error of `end` when the run's row is no longer `running`. */
  readonly lost: AbortSignal
  /** Stops the heartbeat of a lost run, and returns the error for it. */
  readonly end: (database: Queries) => Promise<LeaseLostError | DatabaseError>
  /** Before the run is closed: no further beat begins, and a beat in flight does not end the run. */
  readonly pause: () => void
  /** Resolves after the last beat. Never call it in a transaction: on PGlite a beat waits for its end. */
  readonly stop: () => Promise<void>
}

/** Starts the heartbeat of a run: one beat every 5 s. A failed beat is tried again; only the row's state ends the run. */
export function startHeartbeat(
  database: Database,
  run: BegunRun,
  { log, onHeartbeat }: { readonly log?: DatabaseLog | undefined; readonly onHeartbeat?: () => void },
): Heartbeat {
  const controller = new AbortController()
  let underWay: Promise<void> | null = null

  const end = async (from: Queries) => {
    const error = await whyLost(from, run)
    clearInterval(timer)
    controller.abort(error)
    return error
  }
  const beat = async () => {
    try {
      const { numUpdatedRows } = await database.kysely
        .updateTable('headcount.sync_runs')
        .set({ heartbeat_at: sql`now()` })
        .where(isRun(run))
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) onHeartbeat?.()
      // guard: beat of a lost run
      else if (!stopped) await end(database)
    } catch (error) {
      const message = `Run ${run.id} could not store its heartbeat; it tries again in ${HEARTBEAT_INTERVAL_MS / 1000} s`
      log?.('warn', message, { reason: toError(error).message })
    }
  }
  let stopped = false
  const timer = setInterval(() => {
    underWay ??= beat().finally(() => (underWay = null))
  }, HEARTBEAT_INTERVAL_MS)
  timer.unref()
  const pause = () => {
    stopped = true
    clearInterval(timer)
  }

  return {
    lost: controller.signal,
    end,
    pause,
    stop: async () => {
      pause()
      await underWay
    },
  }
}

async function whyLost({ kysely }: Queries, run: BegunRun): Promise<LeaseLostError | DatabaseError> {
  const row = await kysely.selectFrom('headcount.sync_runs').select('id').where(isRun(run)).executeTakeFirst()
  if (row !== undefined)
    return new LeaseLostError(
      `Run ${run.id} was taken over by another run, because it had sent no heartbeat for 30 s; it writes nothing more.`,
    )
  return new DatabaseError(
    `The database has run ${run.id} no longer, which began at ${run.startedAt}: it was set back to an earlier time (an older copy, or a standby that lacked the last changes, took its place), or the account was removed. The run writes nothing more; the next one reads what is missing.`,
  )
}

/** The last heartbeat of another run in the database. */
export interface LastHeartbeat {
  /** The time stamp as text. */
  readonly beat: string
  /** Seconds since the beat by the database's clock; negative when that clock was set back. */
  readonly silence: number
}

/**
 * Measures for how many seconds another run has been silent. The age of a beat in the future is unknown: then the time
 * counts since this process first saw that beat.
 */
export function trackHeartbeatAge(
  now: () => number = () => performance.now(),
): (of: LastHeartbeat) => number {
  let seen: { readonly beat: string; readonly at: number } | null = null
  return ({ beat, silence }) => {
    if (silence >= 0) return silence
    if (seen?.beat !== beat) seen = { beat, at: now() }
    return (now() - seen.at) / 1000
  }
}
