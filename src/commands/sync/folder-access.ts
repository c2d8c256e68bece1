/** How a worker shares a PGlite folder between its runs and what goes on beside them. */
import type { ServiceConfig } from '../../config/config.ts'
import { DataDirInUseError, MirrorNotFoundError } from '../../common/errors.ts'
import type { DatabaseOptions } from '../../db/target.ts'
import { holdDatabase, openExisting, type HeldDatabase } from '../serve/hold-database.ts'
import type { Log } from '../open-log.ts'

/** How somebody gets the database. */
export type WithDatabase = <T>(work: (database: DatabaseOptions) => Promise<T>) => Promise<T>

export interface DatabaseAccess {
  /** For a run: where there is no mirror yet, the run makes it. */
  readonly forRun: WithDatabase
  /** For others. @throws MirrorNotFoundError where there is no mirror yet */
  readonly forOthers: WithDatabase
}

export interface FolderAccess extends DatabaseAccess {
  /** Closes it, unless somebody still uses it: a run that could not be ended in time, whose work the database rolls back. */
  close(): Promise<void>
}

/** A server, or a database that is open for longer than the schedule. */
export function alwaysThere(forRun: DatabaseOptions, forOthers = forRun): DatabaseAccess {
  return { forRun: (work) => work(forRun), forOthers: (work) => work(forOthers) }
}

/**
 * The folder is open while anybody uses it, or, with `keepOpen`, from the first use on. All share one opening: a second one
 * would find the folder in use.
 */
export function shareFolder(
  { database, worker }: ServiceConfig,
  options: Log & { readonly signal: AbortSignal },
): FolderAccess {
  let held: Promise<HeldDatabase | null> | null = null
  let closing: Promise<void> = Promise.resolve()
  let users = 0
  const open = () => {
    const opening = holdIfThere(database.target, options, () => openExisting({ database }, options))
    // guard: one opening of a folder
    held = opening
    return opening
  }
  const close = async () => {
    const former = held
    held = null
    closing = (async () => (await former?.catch(() => null))?.[Symbol.asyncDispose]())()
    await closing
  }
  const use = async <T>(work: (held: HeldDatabase | null) => Promise<T>): Promise<T> => {
    let isLost = false
    users += 1
    try {
      await closing
      return await work(await (held ?? open()))
    } catch (error) {
      isLost = error instanceof DataDirInUseError
      throw error
    } finally {
      users -= 1
      if (users === 0 && (isLost || !worker.keepOpen || (await isNothing(held)))) await close()
    }
  }
  return {
    forRun: (work) =>
      use((found) => work(found === null ? { database: database.target } : { opened: found.database })),
    forOthers: (work) =>
      use((found) => {
        if (found === null) throw new MirrorNotFoundError(`There is no mirror in ${database.target} yet.`)
        return work({ opened: found.database })
      }),
    close: async () => {
      if (users === 0) await close()
    },
  }
}

/** An opening that failed, or found nothing, is tried anew. */
async function isNothing(held: Promise<HeldDatabase | null> | null): Promise<boolean> {
  return (await held?.catch(() => null)) === null
}

async function holdIfThere(...to: Parameters<typeof holdDatabase>): Promise<HeldDatabase | null> {
  try {
    return await holdDatabase(...to)
  } catch (error) {
    if (error instanceof MirrorNotFoundError) return null
    throw error
  }
}
