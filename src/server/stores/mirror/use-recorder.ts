import type { Database } from '../../../db/database.ts'
import { waitAtMost } from '../../../common/abort.ts'
import { safeCallback } from '../../../common/options/callbacks.ts'
import { recordUse } from '../../../mirror/keys/keys.ts'

const SHUTDOWN_GRACE_MS = 500

/** Records the use of keys or links in the background: no request waits for it, or fails with it. */
export function createUseRecorder(
  database: Database,
  table: 'api_keys' | 'links',
  onError: (error: unknown) => void,
) {
  const report = safeCallback(onError)
  const pending = new Map<string, Promise<void>>()

  async function write(id: string): Promise<void> {
    try {
      await database.transaction((trx) => recordUse(trx, table, [id]))
    } catch (error) {
      report(error)
    } finally {
      pending.delete(id)
    }
  }

  return {
    record(id: string): void {
      if (!pending.has(id)) pending.set(id, write(id))
    },
    /** A write may wait for a lock: after the grace period the caller closes the database. */
    close: () => waitAtMost(SHUTDOWN_GRACE_MS, Promise.all(pending.values())),
  }
}
