import { createHmac, hash } from 'node:crypto'

/** What is hashed to recognise a key: no `email_key` contains U+0000. */
const CHECKED_TEXT = '\0headcount'
/** Of a block of SHA-256. */
const BLOCK_BYTES = 64
const HASH_BYTES = 32
/** No `email_key` is longer. */
const MAX_TEXT_BYTES = 1000

/** The key of the suppression list. Without it nobody can tell whose hash stands there. */
export interface PersonKey {
  /** By which the key is recognised: 16 hexadecimal digits that tell nothing of it. */
  readonly check: string
  /** HMAC-SHA-256 of an `email_key`, in 64 hexadecimal digits. */
  hash(emailKey: string): string
}

/**
 * HMAC by RFC 2104, as two one-shot hashes: a run hashes every address it reads, and `createHmac` makes an object for each, which takes half as
 * long again. A test compares both.
 */
export function createPersonKey(secret: string): PersonKey {
  const bytes = Buffer.from(secret)
  const block = Buffer.alloc(BLOCK_BYTES)
  ;(bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes).copy(block)
  const inner = Buffer.alloc(BLOCK_BYTES + MAX_TEXT_BYTES)
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES)
  for (const [place, byte] of block.entries()) {
    inner[place] = byte ^ 0x36
    outer[place] = byte ^ 0x5c
  }
  const hmac = (text: string) => {
    // One character takes three bytes at most.
    if (3 * text.length > MAX_TEXT_BYTES) return createHmac('sha256', bytes).update(text).digest('hex')
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES)
    outer.write(hash('sha256', inner.subarray(0, end), 'hex'), BLOCK_BYTES, 'hex')
    return hash('sha256', outer, 'hex')
  }
  return { check: hmac(CHECKED_TEXT).slice(0, 16), hash: hmac }
}
