import { sql } from 'kysely'
import { toError } from '../../common/abort.ts'
import { LeaseLostError } from '../../common/errors.ts'
import type { Database, DatabaseLog } from '../database.ts'

const HEARTBEAT_INTERVAL_MS = 5000

interface Heartbeat {
  /** Aborted with a LeaseLostError when the run's row is no longer `running`. */
  readonly lost: AbortSignal
  /** Stops the heartbeat of a lost run, and returns the error for it. */
  readonly end: () => LeaseLostError
  /** Before the run is closed: no further beat begins, and a beat in flight does not end the run. */
  readonly pause: () => void
  /** Resolves after the last beat. Never call it in a transaction: on PGlite a beat waits for its end. */
  readonly stop: () => Promise<void>
}

/** Starts the heartbeat of a run: one beat every 5 s. A failed beat is tried again; only the row's state ends the run. */
export function startHeartbeat(
  database: Database,
  runId: string,
  { log, onHeartbeat }: { readonly log?: DatabaseLog | undefined; readonly onHeartbeat?: () => void },
): Heartbeat {
  const controller = new AbortController()
  let underWay: Promise<void> | null = null

  const end = () => {
    clearInterval(timer)
    const error = new LeaseLostError(
      `Run ${runId} was taken over by another run, because it had sent no heartbeat for 30 s; it writes nothing more.`,
    )
    controller.abort(error)
    return error
  }
  const beat = async () => {
    try {
      const { numUpdatedRows } = await database.kysely
        .updateTable('headcount.sync_runs')
        .set({ heartbeat_at: sql`now()` })
        .where('id', '=', runId)
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) onHeartbeat?.()
      // guard: beat of a lost run
      else if (!stopped) end()
    } catch (error) {
      const message = `Run ${runId} could not store its heartbeat; it tries again in ${HEARTBEAT_INTERVAL_MS / 1000} s`
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
