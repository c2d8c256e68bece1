/** Receives a body: unwrapped, bounded, checked and hashed on the way; in memory, or in a file when it is large. */
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BodyTooLargeError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import { checkBody, type BodyChecks, StreamingChecks } from './body-checks.ts'
import type { RequestTimeout } from '../timeouts/request-timeout.ts'
import type { BodySpool } from './spool.ts'
import type { SpoolFile } from './spool-file.ts'

/** A body as sent, without compression. */
export interface Body extends BodyChecks {
  readonly size: number
  /** All of it when it is held in memory. */
  readonly buffer: Buffer | null
  /** Fills `bytes` with what stands at this place. */
  read(bytes: Buffer, offset: number): Promise<void>
}

export interface ReceiveOptions {
  readonly timeout: RequestTimeout
  readonly spool: BodySpool
  /** Bytes that the same reading has already: its other pages. */
  readonly bytesBefore: number
  /** The most bytes, before and after decompression. */
  readonly maxBytes: number
  /** Ends the wait for a place. */
  readonly signal: AbortSignal
  readonly path: string
}

/** Bytes are written to the file as soon as so many have come. */
const MIN_WRITE_BYTES = 1024 * 1024
const GUNZIP_CHUNK_BYTES = 64 * 1024

/**
 * @param wire the chunks of the body as they come
 * @throws BodyTooLargeError above the limit, TemporaryFileError, and whatever breaks the stream
 */
export async function receiveBody(
  wire: AsyncIterable<Buffer>,
  gzip: boolean,
  to: ReceiveOptions,
): Promise<Body> {
  let chunks: Buffer[] = []
  let size = 0
  let filing: SpoolWriter | null = null
  for await (const chunk of gzip ? gunzip(limitBytes(wire, to)) : wire) {
    size += chunk.length
    // guard: gzip cap
    if (size > to.maxBytes) throw tooLarge(to.path, to.maxBytes)
    chunks.push(chunk)
    if (to.spool.fitsInMemory(to.bytesBefore + size)) continue
    filing ??= new SpoolWriter(await to.timeout.pauseWhile(to.spool.file(to.signal)))
    if (size - filing.size < MIN_WRITE_BYTES) continue
    // A slow disk is not the service's doing.
    await to.timeout.pauseWhile(filing.write(chunks))
    chunks = []
  }
  if (filing === null) return bufferedBody(concat(chunks))
  await to.timeout.pauseWhile(filing.write(chunks))
  return filing.end()
}

/** Bytes on their way into the file of a reading. */
class SpoolWriter {
  readonly #file: SpoolFile
  readonly #check = new StreamingChecks()
  /** Bytes written; the file has no part in them until all are there. */
  size = 0

  constructor(file: SpoolFile) {
    this.#file = file
  }

  async write(chunks: readonly Buffer[]): Promise<void> {
    const bytes = concat(chunks)
    this.#check.add(bytes)
    await this.#file.write(bytes, this.#file.size + this.size)
    this.size += bytes.length
  }

  end(): Body {
    const { size } = this
    const file = this.#file
    const start = file.size
    // guard: failed try in the file
    file.size += size
    return {
      size,
      buffer: null,
      ...this.#check.end(),
      read: (bytes, offset) => file.read(bytes, start + offset),
    }
  }
}

function bufferedBody(all: Buffer): Body {
  return {
    size: all.length,
    buffer: all,
    ...checkBody(all),
    read: async (bytes, offset) => void all.copy(bytes, 0, offset),
  }
}

/** Most bodies come in one chunk. */
function concat(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

/** The first bytes of a body, all of it when it is not longer: not to be written to. */
export async function readStart(body: Body, most: number = body.size): Promise<Buffer> {
  if (body.buffer !== null) return body.buffer.subarray(0, most)
  const bytes = Buffer.allocUnsafe(Math.min(most, body.size))
  await body.read(bytes, 0)
  return bytes
}

/** The last bytes of a body. */
export async function readEnd(body: Body, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(most, body.size))
  await body.read(bytes, body.size - bytes.length)
  return bytes
}

/** Takes one layer of gzip off a stream; the reader counts what comes out. */
async function* gunzip(wire: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES })
  const pumped = pipeline(wire, gunzip)
  // A failure reaches the reader below through the stream; this promise only says it a second time.
  pumped.catch(() => {})
  try {
    yield* gunzip
  } finally {
    gunzip.destroy()
  }
}

/** What is compressed is bounded by itself: a body may grow small when it is unwrapped. */
async function* limitBytes(
  wire: AsyncIterable<Buffer>,
  { path, maxBytes }: Pick<ReceiveOptions, 'path' | 'maxBytes'>,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of wire) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(path, maxBytes)
    yield chunk
  }
}

function tooLarge(path: string, maxBytes: number): BodyTooLargeError {
  return new BodyTooLargeError(
    `GET ${path}: the body is larger than the ${maxBytes} bytes that this program takes in (${optionName('maxBodyBytes')}; of the list of events at most 256 MB).`,
  )
}
