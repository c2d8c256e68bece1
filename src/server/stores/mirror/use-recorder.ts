import type { Database } from '../../../db/database.ts'
import { recordUse } from '../../../mirror/keys/keys.ts'

/** Records the use of keys or links in the background: no request waits for it, or fails with it. */
export function createUseRecorder(
  database: Database,
  table: 'api_keys' | 'links',
  onError: (error: unknown) => void,
) {
  const pending = new Map<string, Promise<void>>()

  async function write(id: string): Promise<void> {
    try {
      await database.transaction((trx) => recordUse(trx, table, [id]))
    } catch (error) {
      onError(error)
    } finally {
      pending.delete(id)
    }
  }

  return {
    record(id: string): void {
      if (!pending.has(id)) pending.set(id, write(id))
    },
    /** Resolves when no write is pending. */
    async settled(): Promise<void> {
      await Promise.all(pending.values())
    },
  }
}
