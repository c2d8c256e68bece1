import { connect } from '../db/connect.ts'
import type { Database } from '../db/connect.ts'
import { DEFAULT_HOLD_FOR_MS } from '../common/schema/holds.ts'
import { requireSchema } from '../db/migrate.ts'
import { targetOf, type DatabaseOptions } from '../db/target.ts'
import { UsageError } from '../common/errors.ts'
import type { Service } from './service.ts'

/** How the mirror is served. Exactly one of `database`, `pool` and `pglite` is to be given. */
export interface ServiceOptions extends DatabaseOptions {
  /**
   * How old the last run that read everything due may be, in milliseconds; beyond it everything is answered with 503, and so is a
   * list of which deletions are held for longer than `holdForMs`. Of any age when not given.
   */
  readonly maxAgeMs?: number
  /** As the runs of this mirror have it, in milliseconds; an hour when not given. Without `maxAgeMs` it says nothing. */
  readonly holdForMs?: number
  /** Told what went wrong while a request was answered; the client gets no particulars. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for answers in flight, in milliseconds; 5,000 when not given. */
  readonly closeTimeoutMs?: number
  /** How many bytes of answered lists are kept in memory to be sent again; 64 MiB when not given. */
  readonly keptBytes?: number
}

/**
 * The service of the specification, answered from the mirror of one or more accounts, by keys that `headcount keys` makes.
 * The database is opened by the first request or by `listen`, and closed by `close` unless it is the caller's.
 *
 * `fetch` and `listen` throw UsageError, DatabaseError, SchemaVersionError and DataDirInUseError when the database cannot be used.
 */
export function createService(options: ServiceOptions): Service {
  const target = targetOf(options)
  requireAmounts(options)
  let opened: Promise<Open> | null = null
  let isClosed = false

  async function open(): Promise<Open> {
    if (isClosed) throw new UsageError('This service was closed. Make another one with createService.')
    const opening = (opened ??= openOver(target, options))
    try {
      return await opening
    } catch (error) {
      // The database may be there the next time; another request may be at it already.
      if (opened === opening) opened = null
      throw error
    }
  }

  return {
    fetch: async (request) => (await open()).service.fetch(request),
    listen: async (address) => (await open()).service.listen(address),
    async close() {
      isClosed = true
      const open = await opened?.catch(() => null)
      await open?.service.close()
      await open?.database.close()
    },
  }
}

/** @throws UsageError for a time or a size that is none */
function requireAmounts({ maxAgeMs, holdForMs, closeTimeoutMs, keptBytes }: ServiceOptions): void {
  for (const [name, value] of Object.entries({ maxAgeMs, holdForMs, closeTimeoutMs, keptBytes })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue
    throw new UsageError(`The option \`${name}\` must be a whole number from 0 on, not ${value}.`)
  }
}

interface Open {
  readonly database: Database
  readonly service: Service
}

/** The libraries that answer HTTP are loaded now, and not with the library. */
async function openOver(target: Parameters<typeof connect>[0], options: ServiceOptions): Promise<Open> {
  const { maxAgeMs = null, holdForMs = DEFAULT_HOLD_FOR_MS } = options
  const { onError = () => {}, closeTimeoutMs, keptBytes } = options
  const [{ createHttpService }, { createMirrorStore }] = await Promise.all([
    import('./service.ts'),
    import('./stores/mirror/mirror-store.ts'),
  ])
  const database = await connect(target, { createFolder: false })
  try {
    await requireSchema(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const store = createMirrorStore(database, { maxAgeMs, holdForMs, onError })
  const service = createHttpService({
    store,
    onError,
    ...(closeTimeoutMs !== undefined && { closeTimeout: closeTimeoutMs }),
    ...(keptBytes !== undefined && { keptBytes }),
  })
  return { database, service }
}
