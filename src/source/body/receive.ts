/** Receives a body: unwrapped, bounded, checked and hashed on the way; in memory, or in a file when it is large. */
import { BodyTooLargeError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import { checkBytes, type Checked, RunningCheck } from './body-checks.ts'
import type { Deadline } from '../timeouts/request-timeout.ts'
import { inflate } from './inflate.ts'
import type { BodyRoom } from './spool.ts'
import type { TemporaryFile } from './spool-file.ts'

/** A body as sent, without compression. */
export interface Body extends Checked {
  readonly size: number
  /** All of it when it is held in memory. */
  readonly held: Buffer | null
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
 * @param wire the pieces of the body as they come
 * @throws BodyTooLargeError above the limit, TemporaryFileError, and whatever breaks the stream
 */
export async function receiveBody(wire: AsyncIterable<Buffer>, gzip: boolean, to: Reception): Promise<Body> {
  let pieces: Buffer[] = []
  let size = 0
  let filing: Filing | null = null
  for await (const piece of gzip ? inflate(bounded(wire, to)) : wire) {
    size += piece.length
    if (size > to.limit) throw tooLarge(to.path, to.limit)
    pieces.push(piece)
    if (to.room.isInMemory(to.before + size)) continue
    filing ??= new Filing(await to.deadline.standStill(to.room.file(to.signal)))
    if (size - filing.size < WRITTEN_AT_ONCE) continue
    // A slow disk is not the service's doing.
    await to.deadline.standStill(filing.write(pieces))
    pieces = []
  }
  if (filing === null) return inMemory(joined(pieces))
  await to.deadline.standStill(filing.write(pieces))
  return filing.end()
}

/** Bytes on their way into the file of a reading. */
class Filing {
  readonly #file: TemporaryFile
  readonly #check = new RunningCheck()
  /** Bytes written; the file has no part in them until all are there. */
  size = 0

  constructor(file: TemporaryFile) {
    this.#file = file
  }

  async write(pieces: readonly Buffer[]): Promise<void> {
    const bytes = joined(pieces)
    this.#check.add(bytes)
    await this.#file.write(bytes, this.#file.size + this.size)
    this.size += bytes.length
  }

  end(): Body {
    const { size } = this
    const file = this.#file
    const start = file.size
    file.size += size
    return { size, held: null, ...this.#check.end(), read: (bytes, place) => file.read(bytes, start + place) }
  }
}

function inMemory(all: Buffer): Body {
  return {
    size: all.length,
    held: all,
    ...checkBytes(all),
    read: async (bytes, place) => void all.copy(bytes, 0, place),
  }
}

/** Most bodies come in one piece. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)
}

/** The first bytes of a body, all of it when it is not longer: not to be written to. */
export async function firstOf(body: Body, most: number = body.size): Promise<Buffer> {
  if (body.held !== null) return body.held.subarray(0, most)
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

/** What is compressed is bounded by itself: a body may grow small when it is unwrapped. */
async function* bounded(
  wire: AsyncIterable<Buffer>,
  { path, limit }: Pick<Reception, 'path' | 'limit'>,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of wire) {
    size += piece.length
    if (size > limit) throw tooLarge(path, limit)
    yield piece
  }
}

function tooLarge(path: string, limit: number): BodyTooLargeError {
  return new BodyTooLargeError(
    `GET ${path}: the body is larger than the ${limit} bytes that this program takes in (${optionName('maxBodyBytes')}; of the list of events at most 256 MB).`,
  )
}
