import type { Database } from '../../../db/database.ts'
import { noteUse } from '../../../mirror/keys/record-use.ts'

/** Notes that keys are used, beside the requests: none waits for it, or fails with it. */
export interface KeyUse {
  note(id: string): void
  /** Resolves when nothing is being noted. */
  settled(): Promise<void>
}

export function createKeyUse(database: Database, onError: (error: unknown) => void): KeyUse {
  const noting = new Map<string, Promise<void>>()

  async function write(id: string): Promise<void> {
    try {
      await database.transaction((trx) => noteUse(trx, [id]))
    } catch (error) {
      onError(error)
    } finally {
      noting.delete(id)
    }
  }

  return {
    note(id) {
      if (!noting.has(id)) noting.set(id, write(id))
    },
    async settled() {
      await Promise.all(noting.values())
    },
  }
}
