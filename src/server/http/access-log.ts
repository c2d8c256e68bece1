/** What is logged of each request when its response has ended. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tryDecodeURIComponent } from 'hono/utils/url'

/** A request and its response; no field has a key, a query, or the id of a response. */
export interface AccessLogEntry {
  readonly method: string
  /** Without the query, which may have the id of a response; at most 200 characters. */
  readonly path: string
  /** 0: the client has gone before the response began. */
  readonly status: number
  /** Sent, with the headers. */
  readonly bytes: number
  readonly duration_ms: number
  /** The number of the key, as `keys list` shows it; null: none, or an invalid one. */
  readonly key_id: number | null
}

export type AccessLog = (entry: AccessLogEntry) => void

const MAX_PATH_CHARACTERS = 200
/** What no path of the service has, and somebody may try: a key, an e-mail address, the id of a response; and what opens a link. */
const personal = [
  [/hc_[\w-]+/g, 'hc_…'],
  [/[^/]*(?:@|%40)[^/]*/g, '…'],
  [/\/responses\/.*/, '/responses/…'],
  [/\/l\/.*/i, '/l/…'],
  // guard: tokens in a log
  [/[\w-]{43,}/g, '…'],
] as const

/** Notes which key a request was answered for; a response that was not noted had none. */
export class AnsweredKeys {
  readonly #keys = new WeakMap<ServerResponse, number>()

  note(outgoing: ServerResponse | undefined, key: string): void {
    const id = Number(key)
    if (outgoing !== undefined && Number.isSafeInteger(id)) this.#keys.set(outgoing, id)
  }

  of(outgoing: ServerResponse): number | null {
    return this.#keys.get(outgoing) ?? null
  }
}

/** Tells of the request once its response has ended, or its client has gone. */
export function logAccess(
  { method = '', url = '', socket }: IncomingMessage,
  response: ServerResponse,
  answered: AnsweredKeys,
  log: AccessLog,
): void {
  const began = performance.now()
  const sentBefore = socket.bytesWritten
  response.once('close', () => {
    log({
      method,
      path: loggedPath(url),
      status: response.headersSent ? response.statusCode : 0,
      bytes: socket.bytesWritten - sentBefore,
      duration_ms: Math.round(performance.now() - began),
      key_id: answered.of(response),
    })
  })
}

function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  // As the router reads it, each escape by itself: they would hide what must not be logged.
  // guard: escapes in a log
  const read = tryDecodeURIComponent(path)
  return personal
    .reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), read)
    .slice(0, MAX_PATH_CHARACTERS)
}
