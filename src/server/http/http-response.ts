/** A response before it is sent, and the two ways to send it. */
import type { ServerResponse } from 'node:http'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DEFAULT_SEND_TIMEOUT, resetConnection, bodyWriter, type SendTimeout } from './slow-client.ts'

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | StreamBody | null
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The data are personal: shared caches must not store them, and clients must revalidate. */
export const PRIVATE_CACHE_HEADERS = {
  'Cache-Control': 'private, no-cache',
  Vary: 'X-API-Key, Accept-Encoding',
} as const

export function jsonResponse(value: object, headers: Readonly<Record<string, string>>): HttpResponse {
  return {
    status: 200,
    headers: { 'Content-Type': JSON_TYPE, ...headers },
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** A body that is read while it is sent. */
interface StreamBody {
  readonly chunks: AsyncIterable<string>
  /** Releases the resources of the body. Call it always, also when no chunk was read. */
  readonly close: () => Promise<void>
  /** Compresses the chunks; null: no compression. */
  readonly transform: (() => Transform) | null
}

/**
 * Sends a response over node:http. Resolves when the response was sent, the client has gone, or a slow client was cut
 * off. Throws only errors of the store: then the response is incomplete and the connection is reset.
 */
export async function sendResponse(
  outgoing: ServerResponse,
  { status, headers, body }: HttpResponse,
  isHead: boolean,
  timeout: SendTimeout = DEFAULT_SEND_TIMEOUT,
): Promise<void> {
  if (body === null || body instanceof Uint8Array) {
    if (outgoing.destroyed) return
    const length = body === null ? {} : { 'Content-Length': String(body.byteLength) }
    outgoing.writeHead(status, { ...headers, ...length })
    await bodyWriter(outgoing, timeout).end(isHead ? null : body)
    return
  }
  try {
    if (outgoing.destroyed) return
    outgoing.writeHead(status, headers)
    if (isHead) await bodyWriter(outgoing, timeout).end(null)
    else await stream(body, outgoing, timeout)
  } finally {
    // guard: clients that leave
    await body.close()
  }
}

async function stream(
  { chunks, transform }: StreamBody,
  outgoing: ServerResponse,
  timeout: SendTimeout,
): Promise<void> {
  const body = bodyWriter(outgoing, timeout)
  let failure: { readonly cause: unknown } | null = null
  const read = async function* () {
    try {
      yield* chunks
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  }
  const send = async (readable: AsyncIterable<Uint8Array>) => {
    for await (const bytes of readable) if (!(await body.write(bytes))) return
    await body.end(null)
  }
  // As bytes and not as objects: back-pressure then counts the size of a chunk.
  const readable = Readable.from(encodeChunks(read()), { objectMode: false, highWaterMark: 1 })
  try {
    await (transform === null ? pipeline(readable, send) : pipeline(readable, transform(), send))
  } catch {
    resetConnection(outgoing)
    // A client that has gone, or was too slow, is no error.
    if (failure !== null) throw new Error('the answer was cut off', failure)
  }
}

async function* encodeChunks(chunks: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

/**
 * The response as an object of the Fetch API.
 *
 * @param onError called with errors that nobody awaits
 * @param held is disposed of when the body is complete or was read
 */
export function toFetchResponse(
  { status, headers, body }: HttpResponse,
  isHead: boolean,
  onError: (error: unknown) => void,
  held: DisposableStack,
): Response {
  if (body !== null && !(body instanceof Uint8Array)) {
    const close = async () => {
      held.dispose()
      await body.close()
    }
    if (!isHead) return new Response(webStream({ ...body, close }, onError), { status, headers })
    close().catch(onError)
    return new Response(null, { status, headers })
  }
  held.dispose()
  return new Response(isHead ? null : body, { status, headers })
}

function webStream(
  { chunks, close, transform }: StreamBody,
  onError: (error: unknown) => void,
): ReadableStream {
  const readable = Readable.from(encodeChunks(chunks), { objectMode: false, highWaterMark: 1 })
  // Also when the body is cancelled before the first read.
  readable.once('close', () => void close().catch(onError))
  const web: unknown = Readable.toWeb(transform === null ? readable : readable.compose(transform()))
  if (!(web instanceof ReadableStream)) throw new TypeError('Readable.toWeb gives a ReadableStream')
  return web
}
