/** The digest of a body, and whether its bytes are UTF-8. */
import { createHash, hash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { Utf8Validator } from '../../common/json/utf8.ts'

export interface BodyChecks {
  /** SHA-256 over the bytes. */
  readonly digest: Buffer
  readonly isUtf8: boolean
}

/** Checks a whole body: half the work of checking each chunk. */
export function checkBody(bytes: Buffer): BodyChecks {
  return { digest: hash('sha256', bytes, 'buffer'), isUtf8: isUtf8(bytes) }
}

/** Checks a body chunk by chunk. */
export class StreamingChecks {
  readonly #hash = createHash('sha256')
  readonly #utf8 = new Utf8Validator()

  add(chunk: Buffer): void {
    this.#hash.update(chunk)
    this.#utf8.add(chunk)
  }

  /** Call it after the last chunk. */
  end(): BodyChecks {
    return { digest: this.#hash.digest(), isUtf8: this.#utf8.end() }
  }
}
