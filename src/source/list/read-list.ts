/** Reads the items of a list from its bodies, in memory or in a file. */
import { ArrayReader, type ItemHandler } from '../../common/json/array-reader.ts'
import { BodyTooLargeError } from '../../common/errors.ts'
import type { Body } from '../body/receive.ts'

/** A longer item does not fit into memory, not even to be rejected. */
const MAX_BUFFERED_ITEM_BYTES = 64 * 1024 * 1024

/**
 * Passes the items of all pages to the handler, and yields after each block. A body in memory is one block; a file is
 * read in blocks of about `blockBytes`. The handler may keep the bytes: no block is reused.
 *
 * @param bodies of the pages
 * @param what the list's name for messages
 * @throws InvalidResponseError for a body that is no list, TemporaryFileError, BodyTooLargeError for too long an item
 */
export async function* readList(
  bodies: readonly Body[],
  blockBytes: number,
  what: string,
  handler: ItemHandler,
): AsyncGenerator<void, void> {
  for (const body of bodies) {
    const reader = new ArrayReader(what, handler)
    if (body.buffer === null) yield* readFile(body, blockBytes, what, reader)
    else {
      reader.read(body.buffer, true)
      yield
    }
  }
}

async function* readFile(
  body: Body,
  blockBytes: number,
  what: string,
  reader: ArrayReader,
): AsyncGenerator<void, void> {
  // The beginning of an item that continues in the next block.
  let rest = Buffer.alloc(0)
  let length = blockBytes
  for (let offset = 0; offset < body.size;) {
    const block = Buffer.allocUnsafeSlow(rest.length + Math.min(length, body.size - offset))
    rest.copy(block)
    const next = block.subarray(rest.length)
    await body.read(next, offset)
    offset += next.length
    const read = reader.read(block, offset === body.size)
    rest = block.subarray(read)
    if (rest.length > MAX_BUFFERED_ITEM_BYTES) throw itemTooLarge(what, offset - rest.length)
    // A block grows while it holds no whole item: each further scan then starts less often.
    length = read === 0 ? 2 * length : blockBytes
    yield
  }
}

function itemTooLarge(what: string, start: number): BodyTooLargeError {
  return new BodyTooLargeError(
    `${what}: the item that begins at byte ${start} is longer than ${MAX_BUFFERED_ITEM_BYTES / 1024 ** 2} MB, the limit of this program. ` +
      'The rows of this list stay as they were until the service sends a shorter item.',
  )
}
