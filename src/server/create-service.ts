import { requireWholeNumber } from '../common/options/amounts.ts'
import { checkOptions } from '../common/options/check-options.ts'
import { connect, type Database } from '../db/connect.ts'
import { DEFAULT_HOLD_FOR_MS } from '../common/schema/holds.ts'
import { requireSchema } from '../db/migrate.ts'
import { targetOf, type DatabaseOptions } from '../db/target.ts'
import { UsageError } from '../common/errors.ts'
import type { AccessLogEntry } from './http/access-log.ts'
import { sendResponse } from './http/http-response.ts'
import { problem } from './problems.ts'
import { safeCallback } from '../common/options/callbacks.ts'
import type { Service } from './http-service.ts'

/** How the mirror is served. Exactly one of `database`, `pool` and `pglite` must be given. */
export interface ServiceOptions extends DatabaseOptions {
  /**
   * The maximum age of the last run that read everything due, in milliseconds. Beyond it every request gets a 503, and
   * so does a list whose deletions are held for longer than `holdForMs`. No limit by default.
   */
  readonly maxAgeMs?: number
  /** As in the runs of this mirror, in milliseconds; an hour by default. It has no effect without `maxAgeMs`. */
  readonly holdForMs?: number
  /** Called with each error of a request; the client gets no details. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for responses in flight, in milliseconds; 5,000 by default. */
  readonly closeTimeoutMs?: number
  /** The size of the cache of responses, in bytes; 64 MiB by default. */
  readonly keptBytes?: number
  /**
   * Where the service stands inside another server: `/club` when its lists are at `/club/api/v1/events`. Redirects, links and
   * the OpenAPI document name it; requests may come with it or without. The root by default.
   */
  readonly mountPath?: string
  /** Called when the response to a request of `listen` or `requestListener` has ended: an access log. */
  readonly onRequest?: (entry: AccessLogEntry) => void
}

/**
 * The service of the specification over the mirror of one or more accounts, for the keys of `headcount keys`,
 * and what its links show.
 * The first request or `listen` opens the database. `close` closes it unless it is the caller's.
 *
 * `fetch` and `listen` throw UsageError, DatabaseError, SchemaVersionError and DataDirInUseError when the database cannot be used.
 */
export function createService(options: ServiceOptions): Service {
  checkOptions(options)
  const target = targetOf(options)
  for (const name of AMOUNTS) requireWholeNumber(name, options[name], 0)
  const mountPath = parseMountPath(options.mountPath ?? '')
  const report = safeCallback(options.onError)
  let opened: Promise<Open> | null = null
  let isClosed = false

  async function open(): Promise<Open> {
    if (isClosed) throw new UsageError('This service was closed. Make another one with createService.')
    const opening = (opened ??= openOver(target, { ...options, mountPath }))
    try {
      return await opening
    } catch (error) {
      // The next request tries again; another request may have begun that already.
      if (opened === opening) opened = null
      throw error
    }
  }

  return {
    fetch: async (request) => (await open()).service.fetch(request),
    requestListener: (request, response) =>
      void open().then(
        ({ service }) => service.requestListener(request, response),
        async (error: unknown) => {
          report(error)
          await sendResponse(
            response,
            problem('not_ready', { Connection: 'close' }),
            request.method === 'HEAD',
          )
        },
      ),
    listen: async (address) => {
      requireAddress(address)
      return (await open()).service.listen(address)
    },
    async close() {
      isClosed = true
      const open = await opened?.catch(() => null)
      await open?.service.close()
      await open?.database.close()
    },
  }
}

/** Options that are a time or a size. */
const AMOUNTS = ['maxAgeMs', 'holdForMs', 'closeTimeoutMs', 'keptBytes'] as const

/** Of a program in JavaScript. Without a host Node would listen to the whole network. @throws UsageError */
function requireAddress(address: unknown): void {
  const { host, port } = Object(address) as { readonly host?: unknown; readonly port?: unknown }
  // guard: host of a service
  if (typeof host !== 'string' || host === '')
    throw new UsageError(
      `\`host\` of \`listen\` must be a host or an address: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody who can reach it.`,
    )
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('`port` of `listen` must be a whole number from 0 (any free port) to 65535.')
}

/** @throws UsageError unless it is made of `/` and of letters, digits and `.`, `_`, `~`, `-` */
function parseMountPath(path: string): string {
  const trimmed = path.replace(/\/$/, '')
  if (trimmed === '' || /^(?:\/[\w.~-]+)+$/.test(trimmed)) return trimmed
  throw new UsageError(
    `The option \`mountPath\` must be a path like /club, of letters, digits and . _ ~ -, not ${JSON.stringify(path)}.`,
  )
}

interface Open {
  readonly database: Database
  readonly service: Service
}

/** Loads the HTTP libraries on demand. */
async function openOver(target: Parameters<typeof connect>[0], options: ServiceOptions): Promise<Open> {
  const { maxAgeMs = null, holdForMs = DEFAULT_HOLD_FOR_MS, onError = () => {} } = options
  const [{ createHttpService }, { createMirrorStore }, { createLinks }] = await Promise.all([
    import('./http-service.ts'),
    import('./stores/mirror/mirror-store.ts'),
    import('./links/link-responder.ts'),
  ])
  const database = await connect(target, { createFolder: false })
  try {
    await requireSchema(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const store = createMirrorStore(database, { maxAgeMs, holdForMs, onError })
  const links = createLinks(database, { maxAgeMs, onError })
  return { database, service: createHttpService({ ...options, store, links, onError }) }
}
