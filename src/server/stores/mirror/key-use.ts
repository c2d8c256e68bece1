import type { Database } from '../../../db/database.ts'
import { recordKeyUse } from '../../../mirror/keys/keys.ts'

/** Notes that keys are used, beside the requests: none waits for it, or fails with it. */
export interface KeyUseRecorder {
  record(id: string): void
  /** Resolves when nothing is being noted. */
  settled(): Promise<void>
}

export function createKeyUseRecorder(database: Database, onError: (error: unknown) => void): KeyUseRecorder {
  const noting = new Map<string, Promise<void>>()

  async function write(id: string): Promise<void> {
    try {
      await database.transaction((trx) => recordKeyUse(trx, [id]))
    } catch (error) {
      onError(error)
    } finally {
      noting.delete(id)
    }
  }

  return {
    record(id) {
      if (!noting.has(id)) noting.set(id, write(id))
    },
    async settled() {
      await Promise.all(noting.values())
    },
  }
}
