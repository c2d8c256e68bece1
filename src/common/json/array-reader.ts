/** Reads one JSON array item by item, from bytes that come block by block. */
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './characters.ts'
import { InvalidResponseError } from '../errors.ts'
import { INCOMPLETE, skipSpace, valueEnd } from './scan.ts'
import { bomLength } from './utf8.ts'

/** What is done with each item. */
export interface ItemHandler {
  /** How many items it has taken. */
  readonly count: number
  /** Whether the key stood in one of them, and was removed from its values. */
  readonly containedKey: boolean
  /**
   * Takes an item that it can read by itself.
   *
   * @returns the place behind it; DECLINED for any other, and for one that the block does not hold whole
   */
  tryItem(bytes: Buffer, start: number): number
  /**
   * Takes an item that was declined. Its bytes are one value if they are JSON at all.
   *
   * @param offset of the block in the body, for messages
   * @throws InvalidResponseError if they are not
   */
  item(bytes: Buffer, start: number, end: number, offset: number): void
}

/** What is expected next. */
type State = 'open' | 'first' | 'item' | 'next' | 'end'

/**
 * Strict: what it takes is what `JSON.parse` takes. Between the items it reads brackets, commas and white space itself; an
 * item is read strictly by `tryItem`, or handed to `item`, which parses its slice. If every slice is one value, the list is
 * the array of these values, wherever the slices were cut.
 */
export class ArrayReader {
  readonly #what: string
  readonly #handler: ItemHandler
  #state: State = 'open'
  /** Bytes of the blocks before. */
  #offset = 0

  /** @param what the list's name for messages */
  constructor(what: string, handler: ItemHandler) {
    this.#what = what
    this.#handler = handler
  }

  /**
   * Reads the items that the block holds whole.
   *
   * @param block begins where the last call ended
   * @param isLast nothing comes behind it
   * @returns how many of its bytes were read; the others are the beginning of the next block
   * @throws InvalidResponseError when the bytes are no array
   */
  read(block: Buffer, isLast: boolean): number {
    let at = this.#state === 'open' && this.#offset === 0 ? bomLength(block) : 0
    at = skipSpace(block, at)
    while (at < block.length) {
      const next = this.#step(block, at, isLast)
      if (next === INCOMPLETE) break
      at = skipSpace(block, next)
    }
    if (isLast && this.#state !== 'end') throw this.#invalid(block.length)
    this.#offset += at
    return at
  }

  /** Reads one bracket, comma or item. */
  #step(block: Buffer, at: number, isLast: boolean): number {
    const byte = block[at]
    // guard: nothing behind the list
    if (this.#state === 'end') throw this.#invalid(at)
    if (this.#state === 'open') {
      // guard: complete list
      if (byte !== OPEN_BRACKET) throw this.#invalid(at)
      this.#state = 'first'
      return at + 1
    }
    if (this.#state === 'next') {
      // guard: closing bracket
      if (byte !== COMMA && byte !== CLOSE_BRACKET) throw this.#invalid(at)
      this.#state = byte === COMMA ? 'item' : 'end'
      return at + 1
    }
    if (this.#state === 'item' || byte !== CLOSE_BRACKET) return this.#item(block, at, isLast)
    this.#state = 'end'
    return at + 1
  }

  #item(block: Buffer, at: number, isLast: boolean): number {
    let end = this.#handler.tryItem(block, at)
    if (end === INCOMPLETE) {
      end = valueEnd(block, at)
      if (end === INCOMPLETE || (end === block.length && !isLast)) {
        if (isLast) throw this.#invalid(block.length)
        return INCOMPLETE
      }
      this.#handler.item(block, at, end, this.#offset)
    }
    this.#state = 'next'
    return end
  }

  #invalid(at: number): Error {
    return invalidJson(this.#what, this.#offset + at)
  }
}

/** @param at the byte of the body where it is not, if that is known */
export function invalidJson(what: string, at: number | null): InvalidResponseError {
  return new InvalidResponseError(
    `${what}: the answer is not JSON${at === null ? '' : ` (at byte ${at})`}, or not all of it. ` +
      'Look at what stands at this address: a log-in page, a proxy or an interrupted answer.',
  )
}
