/** Follows a JSON array through its bytes, block by block, to find where it can be cut into shorter ones. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../common/json/characters.ts'

/** Indexes in the block; -1 where there is none. */
export interface ScanResult {
  /** The last comma between two items of the list itself. */
  readonly comma: number
  /** What closes the list, be it the right bracket or not. */
  readonly end: number
}

/** Only levels and texts matter to it: whether the bytes are JSON is for `JSON.parse` to say, chunk by chunk. */
export class ArrayScanner {
  #level = 0
  #isInString = false
  #isEscaped = false

  /** @param block the bytes behind those of the last block; the first begins behind the opening bracket. */
  scan(block: Buffer): ScanResult {
    let comma = -1
    for (
      let index = this.#isInString ? this.#endOfString(block, 0) + 1 : 0;
      index < block.length;
      index += 1
    ) {
      const byte = block[index]
      if (byte === QUOTE) index = this.#endOfString(block, index + 1)
      else if (byte === COMMA) {
        if (this.#level === 0) comma = index
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#level += 1
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (this.#level === 0) return { comma, end: index }
        this.#level -= 1
      }
    }
    return { comma, end: -1 }
  }

  /** Index of the quote that ends a text; behind the block when the text goes on in the next. */
  #endOfString(block: Buffer, from: number): number {
    let index = this.#isEscaped ? from + 1 : from
    for (; index < block.length; index += 1) {
      const byte = block[index]
      if (byte === BACKSLASH) index += 1
      else if (byte === QUOTE) {
        this.#isInString = false
        this.#isEscaped = false
        return index
      }
    }
    this.#isInString = true
    this.#isEscaped = index > block.length
    return block.length
  }
}
