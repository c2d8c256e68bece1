/** What is told of the bytes of a body: their digest, and whether they are UTF-8. */
import { createHash, hash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { Utf8Validator } from '../../common/utf8.ts'

export interface BodyChecks {
  /** SHA-256 over the bytes. */
  readonly digest: Buffer
  readonly isUtf8: boolean
}

/** Of bytes that are all there: half the work of checking them as they come. */
export function checkBody(bytes: Buffer): BodyChecks {
  return { digest: hash('sha256', bytes, 'buffer'), isUtf8: isUtf8(bytes) }
}

/** Of bytes that come chunk by chunk. */
export class StreamingChecks {
  readonly #hash = createHash('sha256')
  readonly #utf8 = new Utf8Validator()

  add(chunk: Buffer): void {
    this.#hash.update(chunk)
    this.#utf8.add(chunk)
  }

  /** The verdict, when the last chunk has come. */
  end(): BodyChecks {
    return { digest: this.#hash.digest(), isUtf8: this.#utf8.end() }
  }
}
