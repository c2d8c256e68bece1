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

/** Places in the block; -1 where there is none. */
export interface Found {
  /** The last comma between two items of the list itself. */
  readonly comma: number
  /** What closes the list, be it the right bracket or not. */
  readonly end: number
}

/** Only levels and texts matter to it: whether the bytes are JSON is for `JSON.parse` to say, piece by piece. */
export class ListScanner {
  #level = 0
  #isInText = false
  #isEscaped = false

  /** @param block the bytes behind those of the last block; the first begins behind the opening bracket. */
  scan(block: Buffer): Found {
    let comma = -1
    for (let at = this.#isInText ? this.#endOfText(block, 0) + 1 : 0; at < block.length; at += 1) {
      const byte = block[at]
      if (byte === QUOTE) at = this.#endOfText(block, at + 1)
      else if (byte === COMMA) {
        if (this.#level === 0) comma = at
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#level += 1
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (this.#level === 0) return { comma, end: at }
        this.#level -= 1
      }
    }
    return { comma, end: -1 }
  }

  /** Place of the quote that ends a text; behind the block when the text goes on in the next. */
  #endOfText(block: Buffer, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    for (; at < block.length; at += 1) {
      const byte = block[at]
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) {
        this.#isInText = false
        this.#isEscaped = false
        return at
      }
    }
    this.#isInText = true
    this.#isEscaped = at > block.length
    return block.length
  }
}
