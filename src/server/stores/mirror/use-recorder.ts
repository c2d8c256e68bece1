import type { Database } from '../../../db/database.ts'
import { waitAtMost } from '../../../common/abort.ts'
import { safeCallback } from '../../../common/options/callbacks.ts'
import { codeOf, READ_ONLY } from '../../../db/errors/sqlstate.ts'
import { recordUse } from '../../../mirror/keys/keys.ts'

const SHUTDOWN_GRACE_MS = 500
/** A standby that was promoted takes writes. */
const READ_ONLY_PAUSE_MS = 60_000

/**
 * Records the use of keys or links in the background: no request waits for it, or fails with it. Nothing is recorded where nothing can be
 * written, as on a standby.
 */
export function createUseRecorder(
  database: Database,
  table: 'api_keys' | 'links',
  onError: (error: unknown) => void,
) {
  const report = safeCallback(onError)
  const pending = new Map<string, Promise<void>>()
  let pausedUntil = 0

  async function write(id: string): Promise<void> {
    try {
      await database.transaction((trx) => recordUse(trx, table, [id]))
    } catch (error) {
      if (codeOf(error) === READ_ONLY) pausedUntil = performance.now() + READ_ONLY_PAUSE_MS
      else report(error)
    } finally {
      pending.delete(id)
    }
  }

  return {
    record(id: string): void {
      if (!pending.has(id) && performance.now() >= pausedUntil) pending.set(id, write(id))
    },
    /** A write may wait for a lock: after the grace period the caller closes the database. */
    close: () => waitAtMost(SHUTDOWN_GRACE_MS, Promise.all(pending.values())),
  }
}
