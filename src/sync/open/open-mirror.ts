import { connect, type Database } from '../../db/connect.ts'
import { schemaState } from '../../db/migrate.ts'
import { MirrorNotFoundError } from '../../common/errors.ts'
import { fetchIdentity, fetchEventList, type FetchContext } from '../fetch/fetch-events.ts'
import type { FirstResponses } from '../fetch/event-list.ts'
import { logTo, type ResolvedOptions } from '../options.ts'

interface OpenedMirror {
  readonly database: Database
  readonly version: number
  readonly firstResponses: FirstResponses | null
}

/**
 * Opens the mirror. Where there is none (no folder, or a database without our schema) nothing is made before the service
 * has responded: an empty mirror would answer every query with "none".
 *
 * @returns the version of its schema, 0 where there is none; `firstResponses` is null where there was a mirror, and nothing was asked
 * @throws what the service's refusal is: AuthenticationError, UnreachableError, UsageError …; DatabaseError
 */
export async function openMirror(reading: FetchContext): Promise<OpenedMirror> {
  const { settings } = reading
  const existing = await openExisting(settings)
  try {
    const version = existing === null ? 0 : (await schemaState(existing)).current
    if (existing !== null && version > 0) return { database: existing, version, firstResponses: null }
    const firstResponses = {
      /* guard: first answers */ identity: await fetchIdentity(reading),
      list: await fetchEventList(reading),
    }
    const database =
      existing ?? (await connect(settings.target, { log: logTo(settings.logger), signal: settings.signal }))
    return { database, version, firstResponses }
  } catch (error) {
    await existing?.close()
    throw error
  }
}

/** The database as it is; null where there is not even a folder. */
export async function openExisting({ target, logger, signal }: ResolvedOptions): Promise<Database | null> {
  return connect(target, { createFolder: false, log: logTo(logger), signal }).catch((error: unknown) => {
    if (error instanceof MirrorNotFoundError) return null
    throw error
  })
}
