/** Receives a body: unwrapped, bounded, hashed on the way, and held in memory only as far as there is a place. */
import { createHash } from 'node:crypto'
import { BodyTooLargeError } from '../errors.ts'
import type { Deadline } from './deadline.ts'
import { inflate } from './inflate.ts'
import type { MemoryClaim } from './memory.ts'

export interface Body {
  /** As sent, without compression. */
  readonly bytes: Buffer
  /** SHA-256 over these bytes. */
  readonly digest: Buffer
}

export interface Reception {
  readonly deadline: Deadline
  readonly memory: MemoryClaim
  /** Bytes of the same reading that are in memory already: its other pages. */
  readonly before: number
  /** The most bytes, before and after decompression. */
  readonly limit: number
  /** Ends the wait for memory. */
  readonly signal: AbortSignal
  readonly path: string
}

/**
 * @param wire the pieces of the body as they come, already counted
 * @throws BodyTooLargeError above the limit, and whatever breaks the stream
 */
export async function receiveBody(wire: AsyncIterable<Buffer>, gzip: boolean, to: Reception): Promise<Body> {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of gzip ? inflate(wire) : wire) {
    size += piece.length
    if (size > to.limit) throw tooLarge(to.path, to.limit)
    if (to.memory.lacks(to.before + size)) await to.deadline.standStill(to.memory.take(to.signal))
    hash.update(piece)
    pieces.push(piece)
  }
  return { bytes: Buffer.concat(pieces, size), digest: hash.digest() }
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
    `GET ${path}: the body is larger than the ${limit} bytes that this program takes in (--max-body, at most 256 MB).`,
  )
}
