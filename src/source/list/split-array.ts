/**
 * Cuts a list that is too large for memory into shorter ones.
 *
 * A chunk is what stands between two commas of the list's own level, in brackets. Why that is exact: if every chunk
 * parses as an array that is not empty, the chunks in a row are one array with these items, wherever the cuts are; and
 * if the list is one array, so is every chunk.
 */
import { BodyTooLargeError, InvalidResponseError } from '../../common/errors.ts'
import { type Body, readStart } from '../body/receive.ts'
import { ArrayScanner } from './array-scanner.ts'
import { invalidJson } from '../../common/json/parse-list.ts'
import type { ArrayChunk } from '../../common/json/parse-list.ts'
import { bomLength } from '../../common/utf8.ts'

/** An item above this is not held in memory, not even to be rejected. */
const MAX_BUFFERED_ITEM_BYTES = 64 * 1024 * 1024
/** A list that opens later has failed already (sniff.ts). */
const MAX_LEADING_BYTES = 4096

const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const whiteSpace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * @param chunkBytes about how long a chunk is; one with a longer item is longer
 * @param what the list's name for messages
 * @returns the chunks in their order, each with its text, an array by itself if it is JSON at all
 * @throws InvalidResponseError for what is no list, as far as brackets tell; BodyTooLargeError for too long an item
 */
export async function* splitArray(
  body: Body,
  chunkBytes: number,
  what: string,
): AsyncGenerator<readonly [ArrayChunk, string]> {
  const scanner = new ArrayScanner()
  let offset = await findOpening(body, what)
  let start = offset
  let isFirst = true
  // The beginning of an item whose end has not come, and behind it the block that is scanned.
  let buffer: Buffer = Buffer.allocUnsafe(2 * chunkBytes)
  let buffered = 0
  while (offset < body.size) {
    const length = Math.min(chunkBytes, body.size - offset)
    buffer = ensureCapacity(buffer, buffered, buffered + length)
    const block = buffer.subarray(buffered, buffered + length)
    await body.read(block, offset)
    offset += length
    const { comma, end } = scanner.scan(block)
    const cut = end === -1 ? comma : end
    if (cut === -1) {
      buffered += length
      if (buffered > MAX_BUFFERED_ITEM_BYTES) throw itemTooLarge(what, start)
      continue
    }
    const chunk = { start, end: start + buffered + cut, isWhole: isFirst && end !== -1 }
    // guard: closing bracket
    if (end !== -1 && block[end] !== CLOSE_BRACKET) throw invalidJson(what, chunk.end)
    // guard: nothing behind the list
    if (end !== -1) await assertBlank(body, chunk.end + 1, chunkBytes, what)
    yield [chunk, `[${buffer.toString('utf8', 0, buffered + cut)}]`]
    if (end !== -1) return
    isFirst = false
    buffer.copyWithin(0, buffered + cut + 1, buffered + length)
    buffered = length - cut - 1
    start = chunk.end + 1
  }
  throw invalidJson(what, body.size)
}

/** Reads a chunk again that was cut before. */
export async function readChunk(body: Body, { start, end }: ArrayChunk): Promise<string> {
  const bytes = Buffer.allocUnsafe(end - start)
  await body.read(bytes, start)
  return `[${bytes.toString()}]`
}

/** The place behind the bracket that opens the list. */
async function findOpening(body: Body, what: string): Promise<number> {
  const bytes = await readStart(body, MAX_LEADING_BYTES)
  let at = bomLength(bytes)
  while (whiteSpace.has(bytes[at] ?? 0)) at += 1
  if (bytes[at] !== OPEN_BRACKET) throw invalidJson(what, at)
  return at + 1
}

async function assertBlank(body: Body, from: number, blockBytes: number, what: string): Promise<void> {
  for (let offset = from; offset < body.size; offset += blockBytes) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, body.size - offset))
    await body.read(block, offset)
    const other = block.findIndex((byte) => !whiteSpace.has(byte))
    if (other !== -1) throw invalidJson(what, offset + other)
  }
}

function ensureCapacity(buffer: Buffer, buffered: number, needed: number): Buffer {
  if (needed <= buffer.length) return buffer
  const larger = Buffer.allocUnsafe(Math.max(needed, 2 * buffer.length))
  buffer.copy(larger, 0, 0, buffered)
  return larger
}

function itemTooLarge(what: string, start: number): InvalidResponseError {
  return new BodyTooLargeError(
    `${what}: the item that begins at byte ${start} is longer than ${MAX_BUFFERED_ITEM_BYTES / 1024 ** 2} MB, more than this program ` +
      'holds in memory. The rows of this list stay as they were until the service sends a shorter one.',
  )
}
