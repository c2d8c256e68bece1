/** Receives a body: unwrapped, bounded, checked and hashed on the way; in memory, or in a file when it is large. */
import { createHash } from 'node:crypto'
import { BodyTooLargeError } from '../errors.ts'
import type { Deadline } from './deadline.ts'
import { inflate } from './inflate.ts'
import type { BodyRoom } from './room.ts'
import type { TemporaryFile } from './temporary-file.ts'
import { Utf8Check } from './utf8.ts'

/** A body as sent, without compression. */
export interface Body {
  readonly size: number
  /** SHA-256 over its bytes. */
  readonly digest: Buffer
  readonly isUtf8: boolean
  /** Fills `bytes` with what stands at this place. */
  read(bytes: Buffer, place: number): Promise<void>
}

export interface Reception {
  readonly deadline: Deadline
  readonly room: BodyRoom
  /** Bytes that the same reading has already: its other pages. */
  readonly before: number
  /** The most bytes, before and after decompression. */
  readonly limit: number
  /** Ends the wait for a place. */
  readonly signal: AbortSignal
  readonly path: string
}

/** Bytes are written to the file as soon as so many have come. */
const WRITTEN_AT_ONCE = 1024 * 1024

/**
 * @param wire the pieces of the body as they come, already counted
 * @throws BodyTooLargeError above the limit, TemporaryFileError, and whatever breaks the stream
 */
export async function receiveBody(wire: AsyncIterable<Buffer>, gzip: boolean, to: Reception): Promise<Body> {
  const hash = createHash('sha256')
  const utf8 = new Utf8Check()
  let file: TemporaryFile | null = null
  let pieces: Buffer[] = []
  let size = 0
  let written = 0
  const write = async (file: TemporaryFile): Promise<void> => {
    const bytes = Buffer.concat(pieces, size - written)
    pieces = []
    // A slow disk is not the service's doing.
    await to.deadline.standStill(file.write(bytes, file.size + written))
    written = size
  }
  for await (const piece of gzip ? inflate(wire) : wire) {
    size += piece.length
    if (size > to.limit) throw tooLarge(to.path, to.limit)
    hash.update(piece)
    utf8.add(piece)
    pieces.push(piece)
    if (to.room.isInMemory(to.before + size)) continue
    file ??= await to.deadline.standStill(to.room.file(to.signal))
    if (size - written >= WRITTEN_AT_ONCE) await write(file)
  }
  const found = { size, digest: hash.digest(), isUtf8: utf8.end() }
  if (file === null) return inMemory(Buffer.concat(pieces, size), found)
  await write(file)
  return inFile(file, found)
}

type Found = Omit<Body, 'read'>

function inMemory(all: Buffer, found: Found): Body {
  return {
    ...found,
    read: async (bytes, place) => void all.copy(bytes, 0, place),
  }
}

function inFile(file: TemporaryFile, found: Found): Body {
  const start = file.size
  file.size += found.size
  return { ...found, read: (bytes, place) => file.read(bytes, start + place) }
}

/** The first bytes of a body, all of it when it is not longer. */
export async function firstOf(body: Body, most: number = body.size): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(most, body.size))
  await body.read(bytes, 0)
  return bytes
}

/** The last bytes of a body. */
export async function lastOf(body: Body, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(most, body.size))
  await body.read(bytes, body.size - bytes.length)
  return bytes
}

/** Counts what comes over the wire: for the deadline, which grows with it, and against the limit. */
export async function* counted(
  body: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
  to: { readonly path: string; readonly limit: number },
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    count(piece.length)
    if (size > to.limit) throw tooLarge(to.path, to.limit)
    yield piece
  }
}

function tooLarge(path: string, limit: number): BodyTooLargeError {
  return new BodyTooLargeError(
    `GET ${path}: the body is larger than the ${limit} bytes that this program takes in (--max-body; of the list of events at most 256 MB).`,
  )
}
