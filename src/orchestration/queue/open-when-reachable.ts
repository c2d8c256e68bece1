/** Opens what needs a database server that may be away, as after a restart of the whole machine. */
import { raceAbort, sleep } from '../../common/abort.ts'
import type { DatabaseLog } from '../../db/database.ts'
import { isServerAway } from '../../db/errors/sqlstate.ts'

const PAUSE_MS = 5000

export interface Waiting {
  readonly log: DatabaseLog
  /** Ends the wait. */
  readonly signal: AbortSignal
  /** Called after each attempt that did not reach the server. */
  readonly onAway: (error: Error) => void
}

/**
 * Tries again every 5 s while the server cannot be reached, until the signal.
 *
 * @returns null: the signal came first
 * @throws DatabaseError that a later attempt would not mend; as `open`
 */
export async function openWhenReachable<T extends AsyncDisposable>(
  open: () => Promise<T>,
  { signal, log, onAway }: Waiting,
): Promise<T | null> {
  while (!signal.aborted) {
    const attempt = open()
    try {
      return await raceAbort(attempt, signal)
    } catch (error) {
      if (signal.aborted) {
        // An attempt takes up to ten seconds; a stop does not wait for it.
        attempt.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {})
        break
      }
      // guard: database away at the start
      if (!isServerAway(error)) throw error
      log('warn', `${error.message}. The worker tries again every ${PAUSE_MS / 1000} s`)
      onAway(error)
      await sleep(PAUSE_MS, signal).catch(() => {})
    }
  }
  return null
}
