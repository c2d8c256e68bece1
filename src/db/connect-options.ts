import type { DatabaseLog } from './database.ts'
import type { OnFolderInUse } from './pglite/data-dir-lock.ts'

/** How a database is opened. */
export interface ConnectOptions {
  readonly log?: DatabaseLog | undefined
  /** How long to wait for a PGlite folder that another process has open; 10 s by default. */
  readonly waitForFolderMs?: number
  /** Told that it waits, and for whom. */
  readonly onFolderInUse?: OnFolderInUse
  /** Whether the process that has the folder open answers in its place. */
  readonly isFolderServed?: () => Promise<boolean>
  /** Whether a missing PGlite folder is made; true by default. */
  readonly createFolder?: boolean
}
