/** Reads the items of a list from its bodies, however they are held. */
import { ArrayReader, type ItemHandler } from '../../common/json/array-reader.ts'
import { BodyTooLargeError } from '../../common/errors.ts'
import type { Body } from '../body/receive.ts'

/** An item above this is not held in memory, not even to be rejected. */
const MAX_BUFFERED_ITEM_BYTES = 64 * 1024 * 1024

/**
 * Hands the items of all pages to the handler, and yields after each block: a body in memory is one block, another is read
 * from its file in blocks of about `blockBytes`. Nothing is written over what the handler was given.
 *
 * @param bodies of the pages
 * @param what the list's name for messages
 * @throws InvalidResponseError for what is no list, TemporaryFileError, BodyTooLargeError for too long an item
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
  // The beginning of an item whose end has not come.
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
    // An item that is longer than a block is not looked at anew with every further one.
    length = read === 0 ? 2 * length : blockBytes
    yield
  }
}

function itemTooLarge(what: string, start: number): BodyTooLargeError {
  return new BodyTooLargeError(
    `${what}: the item that begins at byte ${start} is longer than ${MAX_BUFFERED_ITEM_BYTES / 1024 ** 2} MB, more than this program ` +
      'holds in memory. The rows of this list stay as they were until the service sends a shorter one.',
  )
}
