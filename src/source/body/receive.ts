/** Receives a body: decompresses, limits, checks and hashes it. A large body goes to a file. */
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { BodyTooLargeError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { checkBody, type BodyChecks, StreamingChecks } from './body-checks.ts'
import type { RequestTimeout } from '../timeouts/request-timeout.ts'
import type { BodySpool } from './spool.ts'
import type { SpoolFile } from './spool-file.ts'

/** A body after decompression. */
export interface Body extends BodyChecks {
  readonly size: number
  /** The whole body; null when it is in a file. */
  readonly buffer: Buffer | null
  /** Fills `bytes` with the bytes from `offset` on. */
  read(bytes: Buffer, offset: number): Promise<void>
}

export interface ReceiveOptions {
  readonly timeout: RequestTimeout
  readonly spool: BodySpool
  /** Bytes of the earlier pages of the same list. */
  readonly bytesBefore: number
  /** The limit before and after decompression. */
  readonly maxBytes: number
  /** Ends the wait for the permit for large lists. */
  readonly signal: AbortSignal
  readonly path: string
}

/** Fewer bytes are not written to the file, except at the end. */
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
    // The time-out is for the service, not for a slow disk.
    await to.timeout.pauseWhile(filing.write(chunks))
    chunks = []
  }
  if (filing === null) return bufferedBody(concat(chunks))
  await to.timeout.pauseWhile(filing.write(chunks))
  return filing.end()
}

/** Writes one body into the file of a list. */
class SpoolWriter {
  readonly #file: SpoolFile
  readonly #check = new StreamingChecks()
  /** Bytes written. The file counts them only when the body is whole. */
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

/** Most bodies come in one chunk, which is not copied. */
function concat(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
}

/** At most `maxBytes` bytes of a body from `offset` on. The caller must not write to them. */
export async function readFrom(body: Body, offset: number, maxBytes = Infinity): Promise<Buffer> {
  if (body.buffer !== null) return body.buffer.subarray(offset, offset + maxBytes)
  const bytes = Buffer.allocUnsafe(Math.min(maxBytes, body.size - offset))
  await body.read(bytes, offset)
  return bytes
}

/** Takes one layer of gzip off a stream. The caller limits the output. */
async function* gunzip(wire: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES })
  const pumped = pipeline(wire, gunzip)
  // The same error reaches the caller through the stream.
  pumped.catch(() => {})
  try {
    yield* gunzip
  } finally {
    gunzip.destroy()
  }
}

/** Limits the compressed bytes: gzip may also expand a body. */
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
    `GET ${path}: the body is larger than the limit of ${maxBytes} bytes (${optionName('maxBodyBytes')}; for the event list at most 256 MB).`,
  )
}
