/** How `serve` and `worker` open the database: a folder, which one process has open at a time, is open to other commands through them. */
import type { Config } from '../../config/config.ts'
import { connect, pgliteDataDir, type Database } from '../../db/connect.ts'
import type { Logger } from '../../index.ts'
import { logTo } from '../../sync/options.ts'
import type { Log } from '../open-log.ts'

/** Calls under way are given so long when the folder is closed after a run, and when the process is told to stop. */
const GRACE_MS = 5000
const GRACE_AFTER_SIGNAL_MS = 500

export interface HoldOptions {
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** An open database; a folder answers other commands until it is closed. */
export interface HeldDatabase extends AsyncDisposable {
  readonly database: Database
}

/** @throws as `open` */
export async function holdDatabase(
  target: string,
  { signal, logger }: HoldOptions,
  open: () => Promise<Database>,
): Promise<HeldDatabase> {
  const opened = await open()
  const folder = pgliteDataDir(target)
  const shared = opened.share?.()
  if (folder === null || shared === undefined) {
    return { database: opened, [Symbol.asyncDispose]: () => opened.close() }
  }
  const { database, waitedMs } = shared
  const control = await controlOf(folder, { database: opened, waitedMs }, logger)
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await control?.close(signal.aborted ? GRACE_AFTER_SIGNAL_MS : GRACE_MS)
      await opened.close()
    },
  }
}

/** Opens a database that is there; a folder in use is waited for. @throws as connect */
export function openExisting(
  { database }: Pick<Config, 'database'>,
  { logger, onFolderInUse }: Log,
  currentUrl?: () => string,
): Promise<Database> {
  return connect(database.target, { createFolder: false, log: logTo(logger), onFolderInUse, currentUrl })
}

/** Null where there can be no socket: then other commands wait for the folder. */
async function controlOf(
  folder: string,
  options: { readonly database: Database; readonly waitedMs: () => number },
  logger: Logger,
) {
  const { listenForCalls } = await import('../control/server.ts')
  try {
    return await listenForCalls(folder, options)
  } catch (err) {
    logger.warn({ err }, `no socket can be made in ${folder}: other commands wait until it is closed`)
    return null
  }
}
