/**
 * Cuts a list that is too large for memory into shorter ones.
 *
 * A piece is what stands between two commas of the list's own level, in brackets. Why that is exact: if every piece
 * parses as an array that is not empty, the pieces in a row are one array with these items, wherever the cuts are; and
 * if the list is one array, so is every piece.
 */
import { BodyTooLargeError, InvalidResponseError } from '../../common/errors.ts'
import { type Body, firstOf } from '../body/receive.ts'
import { ListScanner } from './array-scanner.ts'
import { invalidJson } from '../../common/json/parse-list.ts'
import type { ArrayChunk } from '../../common/json/parse-list.ts'
import { bomLength } from '../../common/utf8.ts'

/** An item above this is not held in memory, not even to be rejected. */
const MOST_ITEM_BYTES = 64 * 1024 * 1024
/** A list that opens later has failed already (sniff.ts). */
const OPENS_WITHIN = 4096

const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const whiteSpace: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * @param pieceBytes about how long a piece is; one with a longer item is longer
 * @param what the list's name for messages
 * @returns the pieces in their order, each with its text, an array by itself if it is JSON at all
 * @throws InvalidResponseError for what is no list, as far as brackets tell; BodyTooLargeError for too long an item
 */
export async function* cutList(
  body: Body,
  pieceBytes: number,
  what: string,
): AsyncGenerator<readonly [ArrayChunk, string]> {
  const scanner = new ListScanner()
  let place = await openingOf(body, what)
  let start = place
  let isFirst = true
  // The beginning of an item whose end has not come, and behind it the block that is scanned.
  let window: Buffer = Buffer.allocUnsafe(2 * pieceBytes)
  let held = 0
  while (place < body.size) {
    const length = Math.min(pieceBytes, body.size - place)
    window = withRoom(window, held, held + length)
    const block = window.subarray(held, held + length)
    await body.read(block, place)
    place += length
    const { comma, end } = scanner.scan(block)
    const cut = end === -1 ? comma : end
    if (cut === -1) {
      held += length
      if (held > MOST_ITEM_BYTES) throw itemTooLarge(what, start)
      continue
    }
    const piece = { start, end: start + held + cut, isWhole: isFirst && end !== -1 }
    if (end !== -1 && block[end] !== CLOSE_BRACKET) throw invalidJson(what, piece.end)
    if (end !== -1) await requireBlank(body, piece.end + 1, pieceBytes, what)
    yield [piece, `[${window.toString('utf8', 0, held + cut)}]`]
    if (end !== -1) return
    isFirst = false
    window.copyWithin(0, held + cut + 1, held + length)
    held = length - cut - 1
    start = piece.end + 1
  }
  throw invalidJson(what, body.size)
}

/** Reads a piece again that was cut before. */
export async function textOfPiece(body: Body, { start, end }: ArrayChunk): Promise<string> {
  const bytes = Buffer.allocUnsafe(end - start)
  await body.read(bytes, start)
  return `[${bytes.toString()}]`
}

/** The place behind the bracket that opens the list. */
async function openingOf(body: Body, what: string): Promise<number> {
  const bytes = await firstOf(body, OPENS_WITHIN)
  let at = bomLength(bytes)
  while (whiteSpace.has(bytes[at] ?? 0)) at += 1
  if (bytes[at] !== OPEN_BRACKET) throw invalidJson(what, at)
  return at + 1
}

async function requireBlank(body: Body, from: number, blockBytes: number, what: string): Promise<void> {
  for (let place = from; place < body.size; place += blockBytes) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, body.size - place))
    await body.read(block, place)
    const other = block.findIndex((byte) => !whiteSpace.has(byte))
    if (other !== -1) throw invalidJson(what, place + other)
  }
}

function withRoom(window: Buffer, held: number, needed: number): Buffer {
  if (needed <= window.length) return window
  const larger = Buffer.allocUnsafe(Math.max(needed, 2 * window.length))
  window.copy(larger, 0, 0, held)
  return larger
}

function itemTooLarge(what: string, start: number): InvalidResponseError {
  return new BodyTooLargeError(
    `${what}: the item that begins at byte ${start} is longer than ${MOST_ITEM_BYTES / 1024 ** 2} MB, more than this program ` +
      'holds in memory. The rows of this list stay as they were until the service sends a shorter one.',
  )
}
